// The lines of the program's source that a report shows.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "symbols/symbolizer.h"

namespace photofinish {

struct SourceExcerpt {
  std::string trouble;   // why it could not be read; empty if it could
  bool changed = false;  // since the run began
  struct Chunk {
    int first = 1;
    std::vector<std::string> lines;
  };
  std::vector<Chunk> chunks;
};

class Sources {
 public:
  void want(const std::vector<Frame>& stack);
  // Keyed by path as in the debug information. `started_ns`: the start time of the run.
  std::map<std::string, SourceExcerpt> read(std::uint64_t started_ns) const;

 private:
  std::map<std::string, std::set<int>> wanted_;  // requested lines by file
};

}  // namespace photofinish
