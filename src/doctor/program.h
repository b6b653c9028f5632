// One program, as far as it matters to the tool: which MPI it needs, and how much of it a report
// will be able to tell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/mpi_program.h"

namespace photofinish {

struct ProgramFacts {
  std::string name;                   // as the user calls it
  std::string trouble;                // why it cannot be checked; the rest is then empty
  std::optional<MpiFlavour> flavour;  // nothing: a script
  std::string mpi_library;            // where it is; empty: the loader does not find it
  std::string launcher;               // that check -n would use; empty: there is none
  bool has_library = false;           // our preload library for that MPI
  bool has_lines = false;             // line information
  bool wraps_mpi = false;             // it has MPI functions of its own, as PMPI tools do
  std::string sanitizer;          // a run-time library that wants to be the first: "libasan.so.8"
  std::vector<std::string> with;  // source files that were built with the pass
  std::vector<std::string> without;  // … and not, as far as debug information tells
};

// `executable` is our own path.
ProgramFacts check_at_program(const std::string& name, const std::string& executable);

}  // namespace photofinish
