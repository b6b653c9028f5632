// Joins accesses of one block, and drops those that add nothing to others.
#pragma once

#include "compiler/gcc/accesses.h"

namespace photofinish::gcc {

// Rule: accesses of one block between two calls that may reach MPI have the same timestamp. Bytes
// accessed twice in the same way count once, at the first access site. A load on the line of a
// store to the same bytes is dropped. Adjacent bytes on one line, accessed in the same way, are one
// access of up to PHOTOFINISH_SPAN bytes, at the first of them.
void join_neighbors(std::vector<Access>& accesses, const QuietCalls& quiet);

}  // namespace photofinish::gcc
