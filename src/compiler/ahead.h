// Loops of recorded and replayed processes that need no hook for each load. A hook in front of the
// loop checks all memory that the loop will load. A copy of the loop then works on the rank's own
// copy of that memory (docs/internals/record-replay.md).
//
// Rule: nothing in the loop can wait for other ranks or notify them. Every value that the loop
// could load while it runs, it could also have loaded at its start. A loop with an unknown number
// of iterations checks the memory again every few iterations: it may be a spin loop.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>

#include "compiler/accesses.h"
#include "compiler/instrument.h"
#include "compiler/ranges.h"

namespace photofinish::compiler {

struct Ahead {
  llvm::Loop* loop;
  // Accesses at evenly spaced addresses that are known before the loop. The accesses of one range
  // are adjacent.
  struct Spaced {
    std::vector<llvm::Instruction*> instructions;
    Instrumenter::Expanded range;
  };
  std::vector<Spaced> spaced;
  // Accesses at unknown offsets from one pointer.
  struct Behind {
    llvm::Value* base;
    bool writes;
    std::uint64_t bytes;  // of one access
    std::vector<MemoryAccess> accesses;
  };
  std::vector<Behind> behind;
  std::vector<MemoryAccess> unknown;  // a hook for each access
  llvm::SmallVector<llvm::BasicBlock*>
      endless;  // latches of loops with an unknown number of iterations
};

std::vector<Ahead> find_ahead(const std::vector<MemoryAccess>& accesses, llvm::LoopInfo& loops,
                              llvm::ScalarEvolution& evolution, RangeFinder& finder,
                              llvm::SCEVExpander& expander);
// Makes the copies. Invalidates all analyses.
void go_ahead(const std::vector<Ahead>& all, llvm::LoopInfo& loops, llvm::DominatorTree& dominators,
              Instrumenter& instrumenter);

}  // namespace photofinish::compiler
