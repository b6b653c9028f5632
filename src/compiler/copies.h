// Copies of functions and loops, between which it is chosen where they are entered.
//
// One without tests, for as long as nothing can be reached: without the tool, before there is
// anything to share, and while a budget is spent (docs/sampling.md). And where nobody wants to hear
// of any of its places: in a confirming run, of all but those of the race
// (docs/internals/confirm.md).
//
// Rule: only of functions that cannot lead to an MPI call, and in others, such as main, of loops
// that cannot. What can be reached does not change while one runs, so that the choice holds until
// it ends; and main, which is entered before anything is shared, never gets stuck in its copy.
//
// And one with values, for processes that are recorded or replayed
// (docs/internals/record-replay.md): they
// are so from before main to their end. In it, loops whose accesses are all known before them have
// a copy that works on what the process has seen.
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
// As it is now: before anything is put in.
llvm::Function* copy_of(llvm::Function& function, const char* suffix);
// From here on the function begins with the choice. `stays` makes the condition, at the place it is
// given, for the function itself.
void choose_at_entry(llvm::Function& function, llvm::Function& copy,
                     llvm::function_ref<llvm::Value*(llvm::Instruction*)> stays);
// Puts a copy of the loop, as it is now, beside it, and the choice in front of both: what is put in
// before the end of the block in front of the loop comes behind the choice, into the block that is
// returned. `map` is filled in with what is what in the copy.
llvm::BasicBlock* choose_at_loop(llvm::Loop& loop, llvm::LoopInfo& loops,
                                 llvm::DominatorTree& dominators, llvm::ValueToValueMapTy& map,
                                 llvm::function_ref<llvm::Value*(llvm::Instruction*)> stays);

}  // namespace photofinish::compiler
