// Finds the files for each MPI next to this executable: the preload library, and the program for
// the parallel analysis.
#pragma once

#include <string>

#include "base/result.h"
#include "launch/mpi_program.h"

namespace photofinish {

std::string own_path();  // of the photofinish executable
Result<std::string> preload_library(MpiFlavour flavour);
// The library that intercepts libc, for recorded and replayed ranks.
Result<std::string> outside_library();
// The library that intercepts malloc, for checked ranks (runtime/heap_calls.cpp).
Result<std::string> heap_library();
Result<std::string> analysis_program(MpiFlavour flavour);
// From --mpi; nothing for auto.
std::optional<MpiFlavour> chosen_flavour(const std::string& option);

}  // namespace photofinish
