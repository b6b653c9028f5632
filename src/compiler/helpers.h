// Functions that hooks need to find out what is touched. They are in every object that needs them,
// hidden, and once in what is linked.
#pragma once

#include <llvm/IR/Module.h>

namespace photofinish::compiler {

// i64 (ptr a, ptr b, i64 limit): how many bytes two strings have in common, and one more, but at
// most `limit`. Of a string and itself: its length with the zero.
llvm::Function* common_function(llvm::Module& module);
// i64 (i1 meets, ptr address, i64 bytes, i64 rows, i64 stride, i64 planes, i64 plane stride): asks
// the hook for what lies ahead, a pointer to which is at `hook`; zero if it does not meet.
llvm::Function* ahead_function(llvm::Module& module, llvm::Constant* hook);
// ptr (i1 marked, ptr base, i64 writes): asks the hook for what has been seen around a pointer, a
// pointer to which is at `hook`; an empty one if it is not marked.
llvm::Function* behind_function(llvm::Module& module, llvm::Constant* hook);
// void (ptr address, i64 bytes): calls the hook for blocks that have not been looked at, a pointer
// to which is at `hook`, and leaves nearly all registers to the program.
llvm::Function* check_function(llvm::Module& module, llvm::Constant* hook);
// void (ptr site, ptr address, i64 bytes): calls the hook for accesses, a pointer to which is at
// `hook`, and leaves nearly all registers to the program.
llvm::Function* report_function(llvm::Module& module, llvm::Constant* hook);
// i1 (ptr gate, i64 low, i64 high): whether a page of [low, high) may be marked.
llvm::Function* marked_function(llvm::Module& module);
// {bytes, rows, stride, planes, plane stride} (ptr array): what a Fortran descriptor describes; no
// rows if there is nothing.
llvm::Function* array_function(llvm::Module& module);

}  // namespace photofinish::compiler
