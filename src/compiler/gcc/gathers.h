// Accesses of a loop through an index array, a[index[i]]. Reading the indices in front of the loop
// gives all addresses that the loop accesses.
#pragma once

#include "compiler/gcc/chains.h"

namespace photofinish::gcc {

// One row of indices, and the accesses through them. All trees are evaluated in front of `loop`.
struct Gather {
  class loop* loop = nullptr;
  tree first = nullptr;  // address of the first index: a number
  tree times = nullptr;
  std::uint64_t step = 0, bytes = 0;  // from one index to the next; of an index
  bool is_signed = false;
  // The access at base + scale * index, for the index that is `offset` bytes behind the first.
  struct Use {
    std::int64_t offset = 0;
    tree base = nullptr;
    std::uint64_t scale = 1;
    Access access;
  };
  std::vector<Use> uses;
};

class GatherFinder {
 public:
  explicit GatherFinder(RangeFinder& ranges) : ranges_(ranges) {}
  // Adds the access to a row. Returns the loop that the row is read in front of; null: none.
  class loop* find(const Access& access);
  const std::vector<Gather>& rows() const { return rows_; }

 private:
  RangeFinder& ranges_;
  std::vector<Gather> rows_;
};

}  // namespace photofinish::gcc
