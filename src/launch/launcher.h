// Determines how ranks are started, in one of two ways:
//   check -n 4 ./app           launcher_for selects the launcher of the program's MPI library
//   check -- srun -n 4 ./app   the user selects it; wrap_program inserts the per-rank wrapper in
//                              front of the program
// Only ranks load the preload library, never the launcher or its helpers.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "launch/mpi_program.h"

namespace photofinish {

// The words in front of a program, for example {"mpirun.openmpi", "-n", "4"}; the first one may
// need PATH (execvp). `mpi_library`: MpiProgram::mpi_library. The launcher installed next to it is
// preferred: with a launcher of another version of the same MPI, ranks do not connect. OpenSHMEM
// programs are started with oshrun.
Result<std::vector<std::string>> launcher_for(MpiFlavour flavour, int ranks,
                                              const std::string& mpi_library = "",
                                              bool uses_openshmem = false);

// Whether the word is an interpreter, such as sh or python, whose program is in its arguments. The
// wrapper must stand in front of it. (Other helpers, such as numactl and env, execute the words
// after their options.)
bool is_interpreter(const std::string& word);

// mpirun, mpiexec.hydra, /usr/bin/srun, ….
bool is_launcher(const std::string& word);

// The launcher command line with `exec_prefix` in front of each program in it (launcher_line.cpp).
Result<std::vector<std::string>> wrap_program(const std::vector<std::string>& launcher_line,
                                              const std::vector<std::string>& exec_prefix);

}  // namespace photofinish
