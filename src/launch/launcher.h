// How ranks are started. Two ways in:
//   check -n 4 ./app           we choose the launcher: the one that belongs to the program's MPI
//   (launcher_for) check -- srun -n 4 ./app   the user did, and we put our per-rank wrapper in
//   front of the program (wrap_program)
// Ranks only: the launcher and its helpers never see our preload library.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "launch/mpi_program.h"

namespace photofinish {

// The words to put in front of a program, e.g. {"mpirun.openmpi", "-n", "4"}; the first one may
// need PATH (execvp). `mpi_library` is MpiProgram::mpi_library: the launcher installed beside it is
// preferred, as a launcher of another version of the same MPI starts ranks that do not find each
// other.
Result<std::vector<std::string>> launcher_for(MpiFlavour flavour, int ranks,
                                              const std::string& mpi_library = "");

// What runs a program that is named inside its arguments, or none: sh -c, python. Our wrapper must
// stand in front of it. (Other helpers, as numactl and env, start the words behind their options as
// they are.)
bool is_interpreter(const std::string& word);

// mpirun, mpiexec.hydra, /usr/bin/srun, ….
bool is_launcher(const std::string& word);

// A launcher line with `exec_prefix` in front of each program in it (see launcher_line.cpp).
Result<std::vector<std::string>> wrap_program(const std::vector<std::string>& launcher_line,
                                              const std::vector<std::string>& exec_prefix);

}  // namespace photofinish
