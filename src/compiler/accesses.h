// The memory accesses of a function, and the calls that may reach MPI.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <vector>

#include "compiler/extent.h"

namespace photofinish::compiler {

struct MemoryAccess {
  llvm::Instruction* instruction = nullptr;
  llvm::Value* address = nullptr;  // or a vector of addresses
  std::uint64_t bytes = 0;         // 0: `extent` computes the number at run time
  Extent extent;
  bool writes = false;
  std::uint64_t align = 1;
  bool releases = false;       // 0 bytes: the whole allocated block
  bool behind_string = false;  // the access begins at the end of the string at `address`
  // For vectors: only lanes set in `mask`, and only the first `lanes` of them if given. Each lane
  // has `lane_bytes` bytes.
  llvm::Value* mask = nullptr;
  llvm::Value* lanes = nullptr;
  std::uint64_t lane_bytes = 0;
};

// The source location of the instruction. Some generated instructions have none: then the location
// of the preceding instruction.
llvm::DebugLoc location_of(const llvm::Instruction& instruction);
bool same_line(const llvm::DebugLoc& a, const llvm::DebugLoc& b);

// Loads, stores, atomics, memory and vector intrinsics, and calls of C library functions that
// access memory (libc_calls.def).
std::vector<MemoryAccess> find_accesses(llvm::Function& function);

class QuietCalls;
class Relevance;
// Stack variables that other ranks may still access when the function returns or the scope ends.
std::vector<MemoryAccess> find_releases(llvm::Function& function, const QuietCalls& quiet,
                                        const Relevance& relevance);

// Whether a call may reach MPI, and so advance the timestamp of the task. Any call may, unless the
// module shows that it cannot.
class QuietCalls {
 public:
  explicit QuietCalls(const llvm::Module& module);
  bool is_quiet(const llvm::Instruction& instruction) const;

 private:
  bool is_quiet_call(const llvm::CallBase& call) const;
  bool is_quiet_function(const llvm::Function& function) const;
  std::vector<const llvm::Function*> loud_;  // sorted; functions that the module defines
};

}  // namespace photofinish::compiler
