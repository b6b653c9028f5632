// Accesses of one block that can be looked at together.
#pragma once

#include <llvm/Analysis/ScalarEvolution.h>

#include "compiler/accesses.h"
#include "compiler/instrument.h"

namespace photofinish::compiler {

// `accesses`: in the order of the program, each of a known number of bytes, at most
// PHOTOFINISH_SPAN.
std::vector<Instrumenter::Check> join_neighbors(const std::vector<MemoryAccess>& accesses,
                                                const QuietCalls& quiet,
                                                llvm::ScalarEvolution& evolution);

}  // namespace photofinish::compiler
