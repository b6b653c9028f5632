// Detects the launcher of this process from the environment.
#pragma once

#include <optional>
#include <string>

#include "cli/commands.h"
#include "launch/mpi_program.h"

namespace photofinish {

// For programs that are no ELF files of MPI (scripts, python): the MPI library of the launcher.
std::optional<MpiFlavour> flavour_of_launcher();
// Whether the launcher belongs to the other MPI: then each rank would be a world of its own.
bool launched_by_other_than(MpiFlavour flavour);
// The number of processes that it has started; 1 if there is no launcher.
int launched_processes();
// Only one of the processes prints the error.
int fail_once(const std::string& message, int code = kExitToolError);

}  // namespace photofinish
