// Facts about a program: which MPI library it needs, and how detailed a report about it can be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/mpi_program.h"

namespace photofinish {

struct ProgramFacts {
  std::string name;                   // the user's name of it
  std::string trouble;                // why it cannot be checked; the rest is then empty
  std::optional<MpiFlavour> flavour;  // nothing: a script
  std::string mpi_library;            // its path; empty: the loader does not find it
  std::string launcher;               // for check -n; empty: there is none
  bool uses_openshmem = false;
  bool uses_coarrays = false;
  bool has_own_coarrays = false;     // their library is linked statically
  bool has_library = false;          // the preload library for that MPI
  bool has_lines = false;            // line information
  bool wraps_mpi = false;            // it defines MPI functions itself, as PMPI tools do
  std::string sanitizer;             // a runtime library that must be loaded first: "libasan.so.8"
  std::vector<std::string> with;     // instrumented source files
  std::vector<std::string> without;  // source files that are not, according to debug information
};

// `executable`: the path of the tool.
ProgramFacts inspect_program(const std::string& name, const std::string& executable);

}  // namespace photofinish
