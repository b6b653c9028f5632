// Shared variables of the file: each becomes a descriptor, which the runtime registers, and a
// variable with its address.
#pragma once

#include <llvm/IR/Module.h>

namespace photofinish::compiler::upc {

// Replaces all uses of shared variables. Initializers with addresses of shared variables become
// stores in a function that the runtime calls before main. Run it before accesses are lowered: that
// function needs lowering, too.
void replace_statics(llvm::Module& module);

// Expands constant expressions with pointers to shared memory, so that only instructions need
// lowering.
void expand_constants(llvm::Module& module);

}  // namespace photofinish::compiler::upc
