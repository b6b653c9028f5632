// Calls of the C library: what they touch (libc_calls.def), and which of them cannot lead to MPI
// (quiet_calls.def).
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <vector>

#include "compiler/accesses.h"

namespace photofinish::compiler {

struct LibcCall;

// Null: not one that we know.
const LibcCall* libc_call(const llvm::CallBase& call);
// The function that it calls, if it calls one that it is given; null otherwise.
const llvm::Value* called_back(const llvm::CallBase& call, const LibcCall& known);
void add_libc_call(llvm::CallBase& call, const LibcCall& known,
                   std::vector<MemoryAccess>& accesses);
bool is_quiet_name(llvm::StringRef name);

}  // namespace photofinish::compiler
