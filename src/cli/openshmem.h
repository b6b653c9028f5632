// Commands that do not support OpenSHMEM and UPC programs refuse them here.
#pragma once

#include <string>
#include <vector>

namespace photofinish {

// Why `photofinish COMMAND` does not run this command line; empty if it does.
std::string no_openshmem_program(const std::string& command, const std::vector<std::string>& line);
// The same for a recorded run.
std::string no_openshmem_run(const std::string& command, const std::string& directory);
// Refuses runs of UPC programs only.
std::string no_upc_run(const std::string& command, const std::string& directory);

}  // namespace photofinish
