// What there is for each MPI, found beside this executable: the library that goes into the ranks,
// and the analysis by several processes.
#pragma once

#include <string>

#include "base/result.h"
#include "launch/mpi_program.h"

namespace photofinish {

std::string own_path();  // of the photofinish executable
Result<std::string> preload_library(MpiFlavour flavour);
// The one in front of libc, for recorded and replayed ranks.
Result<std::string> outside_library();
Result<std::string> analysis_program(MpiFlavour flavour);
// From --mpi; nothing for auto.
std::optional<MpiFlavour> chosen_flavour(const std::string& option);

}  // namespace photofinish
