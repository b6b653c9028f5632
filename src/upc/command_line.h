// The arguments of pfupcc, sorted by the step that needs them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace photofinish::upc {

struct CommandLine {
  enum class Until { Preprocess, Compile, Link };

  Until until = Until::Link;
  std::optional<int> threads;
  std::string mpi;          // openmpi, mpich or a path; empty: the default
  std::string output;       // -o
  bool assembly = false;    // -S
  bool debug_info = false;  // -g…
  bool help = false;
  bool verbose = false;
  std::vector<std::string> sources;
  std::vector<std::string> preprocess;  // -D, -I, -M
  std::vector<std::string> compile;     // -O2, -W, -f, -std
  std::vector<std::string> link;        // -l, -L, -Wl, objects, in their order; sources as they are
};

Result<CommandLine> parse(int argc, char** argv);

bool is_source(const std::string& argument);

}  // namespace photofinish::upc
