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
  std::vector<tree> conditions;  // all of them hold if the access is made
};

class RangeFinder {
 public:
  explicit RangeFinder(const QuietCalls& quiet) : quiet_(quiet) {}
  ~RangeFinder() { free_affine_expand_cache(&expansions_); }
  RangeFinder(const RangeFinder&) = delete;
  RangeFinder& operator=(const RangeFinder&) = delete;
  // None if the access keeps its own hook.
  std::optional<Range> find(const Access& access) { return find(access, nullptr); }
  // Of the loops that `accepts` accepts. The range has one dimension, with the elements as rows.
  using Accepts = std::function<bool(class loop*)>;
  std::optional<Range> find_rows(const Access& access, const Accepts& accepts);
  // The outermost loop around the block that cannot reach MPI; null: none.
  class loop* outermost_quiet(basic_block block);

 private:
  std::optional<Range> find(const Access& access, const Accepts* accepts);
  bool widen(Range& range, std::vector<tree>& parts, basic_block block, class loop* inside,
             class loop* loop, bool joins);
  std::optional<Range> chained(const Range& row, const Access& access, basic_block block,
                               bool joins);
  bool add_conditions(Range& range, basic_block& block, class loop* loop);
  bool add_dimension(Range& range, tree count, tree stride, bool joins);
  bool are_equal(tree a, tree b);
  tree expanded(tree value, class loop* outer);
  tree without_wrapping(tree taken);
  tree latch_executions(class loop* loop, edge exit);
  tree executions(basic_block block, class loop* loop);
  bool is_quiet(class loop* loop);

  const QuietCalls& quiet_;
  std::map<int, bool> quiet_loops_;  // by number
  hash_map<tree, name_expansion*>* expansions_ = nullptr;
};

}  // namespace photofinish::gcc
