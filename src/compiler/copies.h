// A second copy of a function, without tests, for as long as nothing can be reached: without the tool, before there is anything to share, and
// while a budget is spent (docs/sampling.md). The choice is made where the function is entered.
//
// Rule: only of functions that cannot lead to an MPI call. What can be reached does not change while one runs, so that the choice holds until it
// returns; and main, which is entered before anything is shared, never gets stuck in its copy.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/accesses.h"

namespace photofinish::compiler {

bool may_have_copy(const llvm::Function& function, const QuietCalls& quiet);
// As it is now: before anything is put in.
llvm::Function* copy_of(llvm::Function& function);
// From here on the function begins with the choice. `reachable` makes the condition, at the place it is given.
void choose_at_entry(llvm::Function& function, llvm::Function& copy, llvm::function_ref<llvm::Value*(llvm::Instruction*)> reachable);

}  // namespace photofinish::compiler
