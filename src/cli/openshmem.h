// Commands that do not support OpenSHMEM, UPC and coarray programs refuse them here.
#pragma once

#include <string>
#include <vector>

namespace photofinish {

// Why `photofinish COMMAND` does not run this command line; empty if it does.
std::string no_openshmem_program(const std::string& command, const std::vector<std::string>& line);
// The same for a recorded run.
std::string no_openshmem_run(const std::string& command, const std::string& directory);
// Refuses runs of UPC and coarray programs only.
std::string no_upc_run(const std::string& command, const std::string& directory);
// Refuses coarray programs only.
std::string no_coarray_program(const std::string& command, const std::vector<std::string>& line);
// If the program's coarrays cannot be seen: why, and what to do.
std::string hidden_coarrays(const std::vector<std::string>& line);

}  // namespace photofinish
