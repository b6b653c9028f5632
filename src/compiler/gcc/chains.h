// Rows that continue each other: the inner loop of a sparse matrix in compressed rows accesses
// a[k] for k from start[row] to start[row + 1]. The rows of all iterations of the outer loop are
// then one row, which is known in front of it.
#pragma once

#include "compiler/gcc/ranges.h"
#include "compiler/gcc/sums.h"

namespace photofinish::gcc {

// Whether memory that `load` reads can be read in front of the loop instead.
bool stays_same(class loop* loop, gimple* load);

struct Chain {
  tree address = nullptr;  // of the first element of all rows
  tree count = nullptr;    // of the elements of all rows; zero if there are none
};

// `first`: the address of a row, from which an iteration of `inner` is `step` bytes. `executions`:
// how often the outer loop executes a block that each of its iterations executes.
std::optional<Chain> find_chain(class loop* inner, tree first, std::uint64_t step, tree executions);

}  // namespace photofinish::gcc
