// Drops accesses that add nothing to others of their block.
#pragma once

#include "compiler/gcc/accesses.h"

namespace photofinish::gcc {

// Rule: accesses of one block between two calls that may reach MPI have the same timestamp. Bytes
// accessed twice in the same way count once, at the first access site. A load on the line of a
// store to the same bytes is dropped.
void drop_repeated(std::vector<Access>& accesses, const QuietCalls& quiet);

}  // namespace photofinish::gcc
