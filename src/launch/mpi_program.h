// Determines which MPI library a program needs. The result selects the preload library, so a wrong
// one crashes the program.
//
// Rule: traverse the program's libraries, and theirs, in the loader's order (breadth first). The
// first MPI library found is the one whose functions the program calls.
//
// Limits: not detected are MPI libraries loaded with dlopen (plugins; the user passes --mpi;
// Python: python_program.h) and a static MPI library in a stripped program.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace photofinish {

enum class MpiFlavour { OpenMpi, Mpich };

const char* name_of(MpiFlavour flavour);  // "Open MPI", "MPICH"

struct MpiProgram {
  std::string path;                   // the file to execute
  std::optional<MpiFlavour> flavour;  // nothing: a script or another file that is not ELF
  std::string mpi_library;  // the path of its MPI library; empty if it is needed but not found
  bool uses_openshmem = false;
  bool uses_upc = false;          // its runtime is that of pfupcc
  bool uses_coarrays = false;     // its coarray library is OpenCoarrays
  bool has_own_coarrays = false;  // it is linked statically, so its calls cannot be intercepted
};

// The executable file for a name; searched in PATH if it has no slash, as in a shell.
Result<std::string> find_program(const std::string& name);

Result<MpiProgram> inspect_program(const std::string& name);
// The same of a shared library, such as an extension of an interpreter. No flavor: it needs no MPI.
Result<MpiProgram> inspect_library(const std::string& path);

// Of a script: its MPI library is not known.
Error no_flavour_error(const std::string& path);

// For callers that require a flavor: a script is an error, too, that asks for --mpi.
Result<MpiFlavour> find_mpi(const std::string& name);

}  // namespace photofinish
