// The programming model of a program: commands that do not support OpenSHMEM, UPC or coarrays
// refuse programs here.
#pragma once

#include <string>
#include <vector>

namespace photofinish {

// Why `photofinish COMMAND` does not use this recorded run; empty if it does.
std::string no_openshmem_run(const std::string& command, const std::string& directory);
// Refuses UPC and coarray programs only.
std::string no_upc_run(const std::string& command, const std::string& directory);
// What the program of a recorded run calls a rank in what confirm prints: "rank", "thread" or "PE".
std::string process_word(const std::string& directory);
// The same for a command line.
std::string process_word(const std::vector<std::string>& line);
// Refuse coarray programs only.
std::string no_coarray_run(const std::string& command, const std::string& directory);
std::string no_coarray_program(const std::string& command, const std::vector<std::string>& line);
// If the program's coarrays cannot be seen: why, and what to do.
std::string hidden_coarrays(const std::vector<std::string>& line);

}  // namespace photofinish
