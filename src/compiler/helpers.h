// Functions that hooks call to compute which bytes are accessed. Every object that needs them
// contains them, hidden; the linker keeps one of each.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <string>

namespace photofinish::compiler {

// i64 (ptr a, ptr b, i64 limit): the length of the common prefix of two strings plus one, at most
// `limit`. For a string and itself: its length with the zero.
llvm::Function* common_function(llvm::Module& module);
// i64 (i1 meets, ptr address, i64 bytes, i64 rows, i64 stride, i64 planes, i64 plane stride): calls
// the `ahead` hook, a pointer to which is at `hook`. Returns 0 if `meets` is false.
llvm::Function* ahead_function(llvm::Module& module, llvm::Constant* hook);
// ptr (i1 marked, ptr base, i64 writes): calls the `behind` hook, a pointer to which is at `hook`.
// Returns an empty photofinish_seen if the page is not marked.
llvm::Function* behind_function(llvm::Module& module, llvm::Constant* hook);
// void (ptr address, i64 bytes): calls the hook for unchecked blocks, a pointer to which is at
// `hook`. Preserves most registers. `has_avx`: the caller is compiled for AVX.
llvm::Function* check_function(llvm::Module& module, llvm::Constant* hook, bool has_avx);
// void (ptr site, ptr address, i64 bytes): calls the hook for accesses, a pointer to which is at
// `hook`. Preserves most registers. `has_avx`: the caller is compiled for AVX.
llvm::Function* report_function(llvm::Module& module, llvm::Constant* hook, bool has_avx);
// void (ptr site, ptr address, i64 bytes, ptr location): the same, from a function that the program
// calls at `location`.
llvm::Function* report_at_function(llvm::Module& module, llvm::Constant* hook, bool has_avx);
// void (ptr address, ptr value, i64 bytes, ptr location): calls the hook for loaded or stored
// values. Preserves most registers.
llvm::Function* loaded_function(llvm::Module& module, llvm::Constant* hook, bool has_avx);
llvm::Function* stored_function(llvm::Module& module, llvm::Constant* hook, bool has_avx);
// The function of this name, which preserves most registers of its callers; without a body if it is
// new. `has_avx`: they are compiled for AVX.
llvm::Function* register_keeping_function(llvm::Module& module, std::string name,
                                          llvm::ArrayRef<llvm::Type*> parameters, bool has_avx);
// The return address of the function that `builder` is in.
llvm::Value* location_of_call(llvm::IRBuilderBase& builder);
// void (ptr site, ptr address, i64 bytes, i64 rows, i64 stride, i64 planes, i64 plane stride):
// jumps to the hook for ranges, a pointer to which is at `hook`, if the range may contain reachable
// memory.
llvm::Function* range_function(llvm::Module& module, llvm::Constant* gate, llvm::Constant* low,
                               llvm::Constant* high, llvm::Constant* hook);
// i1 (ptr gate, i64 low, i64 high): whether a page of [low, high) may be marked.
llvm::Function* marked_function(llvm::Module& module);
// {bytes, rows, stride, planes, plane stride} (ptr array): the memory that a Fortran descriptor
// describes; 0 rows if there is none.
llvm::Function* array_function(llvm::Module& module);

}  // namespace photofinish::compiler
