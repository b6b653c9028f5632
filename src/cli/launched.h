// What a launcher's environment tells the process that it has started.
#pragma once

#include <optional>
#include <string>

#include "cli/commands.h"
#include "launch/mpi_program.h"

namespace photofinish {

// What cannot be seen in the program (a script, python) shows in what its launcher says to it.
std::optional<MpiFlavour> flavour_of_launcher();
// Where that is the launcher of the other MPI, each rank would take itself for the only one.
bool launched_by_other_than(MpiFlavour flavour);
// How many it has started; 1 if there is none.
int launched_processes();
// One process is enough to say what is wrong with all of them.
int fail_once(const std::string& message, int code = kExitToolError);

}  // namespace photofinish
