// Loops of recorded and replayed processes that need not be told of load by load: what they will
// load is looked at in front of them, and a copy of the loop works on what has been seen
// (docs/internals/record-replay.md).
//
// Rule: nothing in the loop can wait for others or let others know. What it could load while it
// runs it could have loaded in front of it. A loop of which it is not known before when it ends
// looks again now and then: it may be waiting for something after all.
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
  // At evenly spaced addresses, known before; those of one range lie next to each other.
  struct Spaced {
    std::vector<llvm::Instruction*> instructions;
    Instrumenter::Expanded range;
  };
  std::vector<Spaced> spaced;
  // Anywhere around one pointer.
  struct Behind {
    llvm::Value* base;
    bool writes;
    std::uint64_t bytes;  // of one
    std::vector<MemoryAccess> accesses;
  };
  std::vector<Behind> behind;
  std::vector<MemoryAccess> unknown;  // each is told
  llvm::SmallVector<llvm::BasicBlock*>
      endless;  // where loops go round of which it is not known when they end
};

std::vector<Ahead> find_ahead(const std::vector<MemoryAccess>& accesses, llvm::LoopInfo& loops,
                              llvm::ScalarEvolution& evolution, RangeFinder& finder,
                              llvm::SCEVExpander& expander);
// Makes the copies. No analysis is valid afterwards.
void go_ahead(const std::vector<Ahead>& all, llvm::LoopInfo& loops, llvm::DominatorTree& dominators,
              Instrumenter& instrumenter);

}  // namespace photofinish::compiler
