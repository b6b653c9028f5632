// C library functions: which memory they access (libc_calls.def), and which of them cannot reach
// MPI (quiet_calls.def).
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <vector>

#include "compiler/accesses.h"

namespace photofinish::compiler {

struct LibcCall;

// Null if the function is not listed.
const LibcCall* libc_call(const llvm::CallBase& call);
// The function pointer argument that the call invokes, or null.
const llvm::Value* called_back(const llvm::CallBase& call, const LibcCall& known);
void add_libc_call(llvm::CallBase& call, const LibcCall& known,
                   std::vector<MemoryAccess>& accesses);
bool is_quiet_name(llvm::StringRef name);

}  // namespace photofinish::compiler
