// Copies of functions and loops, selected by a branch at entry.
//
// 1. A copy without hooks. It runs while no memory is reachable: without the tool, before the first
// window, and while the sampling budget is spent (docs/sampling.md). It also runs when no access
// site in it is of interest: a confirming run needs only the sites of the race
// (docs/internals/confirm.md).
//
// Rule: only functions that cannot reach an MPI call have such a copy. In other functions, such as
// main, loops that cannot reach one have it. The reachable memory cannot change while the copy
// runs, so the choice holds until it returns. main is entered before any memory is reachable and
// never stays in such a copy.
//
// 2. A copy with values, for recorded and replayed processes (docs/internals/record-replay.md). A
// process is recorded, or replayed, from before main until it ends. In this copy, loops whose
// accesses are known in front of them have a further copy that works on the rank's own copy of the
// memory (ahead.h).
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "compiler/accesses.h"

namespace photofinish::compiler {

bool can_be_copied(const llvm::Function& function);
bool can_be_copied(const llvm::Loop& loop);
bool may_be_without_tests(const llvm::Function& function, const QuietCalls& quiet);
// Copies the function in its current state: call it before hooks are inserted.
llvm::Function* copy_of(llvm::Function& function, const char* suffix);
// Inserts the branch at the entry of the function. `stays` builds the condition, at the given
// instruction, for staying in the function itself.
void choose_at_entry(llvm::Function& function, llvm::Function& copy,
                     llvm::function_ref<llvm::Value*(llvm::Instruction*)> stays);
// Copies the loop in its current state, and inserts a branch to one of the two in front of both.
// Returns the preheader behind the branch: code inserted before its end runs after the choice.
// Fills `map` with the copy of each value.
llvm::BasicBlock* choose_at_loop(llvm::Loop& loop, llvm::LoopInfo& loops,
                                 llvm::DominatorTree& dominators, llvm::ValueToValueMapTy& map,
                                 llvm::function_ref<llvm::Value*(llvm::Instruction*)> stays);

}  // namespace photofinish::compiler
