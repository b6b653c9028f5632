// Which MPI library does a program need? The answer chooses the preload library, so a wrong one
// crashes the program. Rule: walk the libraries the program names, and those that they name, in the
// loader's order (breadth first); the first MPI library met is the one whose functions the program
// will call. Cannot see: MPI loaded with dlopen (mpi4py, plugins; the user gives --mpi), and a
// static MPI library in a program whose symbols were stripped.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace photofinish {

enum class MpiFlavour { OpenMpi, Mpich };

const char* name_of(MpiFlavour flavour);  // "Open MPI", "MPICH"

struct MpiProgram {
  std::string path;  // what to execute
  std::optional<MpiFlavour>
      flavour;  // nothing: a script or another file that is not ELF; decide by other means
  std::string mpi_library;  // where its MPI library is; empty when it was named but not found
};

// The executable file for a name: looked up in PATH when it has no slash, as a shell would.
Result<std::string> find_program(const std::string& name);

Result<MpiProgram> inspect_program(const std::string& name);

// For callers that need a flavour: a script is an error too, asking for --mpi.
Result<MpiFlavour> find_mpi(const std::string& name);

}  // namespace photofinish
