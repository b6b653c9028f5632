// Turns accesses that a loop repeats at evenly spaced addresses into one range in front of the
// loop.
#pragma once

#include "compiler/gcc/accesses.h"

namespace photofinish::gcc {

// `bytes` at `address`, repeated as the dimensions say. All trees are evaluated in front of `loop`.
struct Range {
  class loop* loop = nullptr;
  tree address = nullptr;  // a number
  tree bytes = nullptr;
  struct Dimension {
    tree count = nullptr, stride = nullptr;
  };
  std::vector<Dimension> dimensions;
};

class RangeFinder {
 public:
  explicit RangeFinder(const QuietCalls& quiet) : quiet_(quiet) {}
  // None if the access keeps its own hook.
  std::optional<Range> find(const Access& access);
  // The outermost loop around the block that cannot reach MPI; null: none.
  class loop* outermost_quiet(basic_block block);

 private:
  bool widen(Range& range, std::vector<tree>& parts, basic_block block, class loop* inside,
             class loop* loop);
  bool is_quiet(class loop* loop);

  const QuietCalls& quiet_;
  std::map<int, bool> quiet_loops_;  // by number
};

}  // namespace photofinish::gcc
