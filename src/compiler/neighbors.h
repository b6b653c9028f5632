// Joins accesses of one block that can share a check.
#pragma once

#include <llvm/Analysis/ScalarEvolution.h>

#include "compiler/accesses.h"
#include "compiler/instrument.h"

namespace photofinish::compiler {

// `accesses`: in program order, each of a known size of at most PHOTOFINISH_SPAN bytes.
std::vector<Instrumenter::Check> join_neighbors(const std::vector<MemoryAccess>& accesses,
                                                const QuietCalls& quiet,
                                                llvm::ScalarEvolution& evolution);

}  // namespace photofinish::compiler
