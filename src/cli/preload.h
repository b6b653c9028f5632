// The library that goes into the ranks, found beside this executable.
#pragma once

#include <string>

#include "base/result.h"
#include "launch/mpi_program.h"

namespace photofinish {

std::string own_path();  // of the photofinish executable
Result<std::string> preload_library(MpiFlavour flavour);
// From --mpi; nothing for auto.
std::optional<MpiFlavour> chosen_flavour(const std::string& option);

}  // namespace photofinish
