// Keeps hooks out of products that code generation contracts with a sum.
#pragma once

#include <llvm/IR/Function.h>

namespace photofinish::compiler {

// Call it before hooks are inserted.
void keep_contractions(llvm::Function& function);

}  // namespace photofinish::compiler
