// Determines which MPI library a Python program uses. The interpreter's ELF file does not show it.
//
// Rule: a script that names an MPI library itself, as for ctypes, uses that one. Otherwise it is
// the library of the mpi4py that its interpreter imports. No result rather than a guess.
//
// Limit: only the script itself is read, not the modules that it imports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/mpi_program.h"

namespace photofinish {

// `command`: the program and its arguments. Nothing if it is not Python, or names no MPI library.
std::optional<MpiProgram> inspect_python_program(const std::vector<std::string>& command);
// Why there is nothing, if the command is Python.
std::optional<Error> python_error(const std::vector<std::string>& command);

}  // namespace photofinish
