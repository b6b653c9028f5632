// Lowers accesses and conversions of pointers to shared memory (address spaces from 0x1000 on).
//
//   load  v = *p       if the byte is mine: v = load (segment + offset), else __upc_get(&v, thread,
//   offset, size) store, memcpy, memset: the same with __upc_put, __upc_move and __upc_fill strict
//   accesses    always calls: __upc_strict_get, __upc_strict_put conversions        between block
//   sizes, to and from shared void *, to private pointers p == q             also if the blocks of
//   both pointers start differently
//
// A local access stays a load or a store at the line of the program, which other passes see.
// Runs before all optimizations: a later pass may move accesses over a barrier only after they are
// visible as what they are.
#pragma once

#include <llvm/IR/Module.h>

namespace photofinish::compiler::upc {

void lower(llvm::Module& module);

}  // namespace photofinish::compiler::upc
