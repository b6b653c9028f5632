// The places of a function that touch memory, and which of them may matter to others.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <vector>

#include "compiler/extent.h"

namespace photofinish::compiler {

struct MemoryAccess {
  llvm::Instruction* instruction = nullptr;
  llvm::Value* address = nullptr;  // or a vector of them
  std::uint64_t bytes = 0;         // 0: as many as `extent` says when it runs
  Extent extent;
  bool writes = false;
  std::uint64_t align = 1;
  bool releases = false;       // no bytes: the whole block that was allocated
  bool behind_string = false;  // not at the address, but where the string that is there ends
  // Of vectors: only lanes that are set, each of so many bytes; and of them only the first `lanes`,
  // if given.
  llvm::Value* mask = nullptr;
  llvm::Value* lanes = nullptr;
  std::uint64_t lane_bytes = 0;
};

// Where it is in the source. Compilers have none for some of what they make of a line: then it is
// that of what comes before.
llvm::DebugLoc location_of(const llvm::Instruction& instruction);
bool same_line(const llvm::DebugLoc& a, const llvm::DebugLoc& b);

// Loads, stores, atomics, memory and vector intrinsics, and calls of the C library that touch
// memory (libc_calls.def).
std::vector<MemoryAccess> find_accesses(llvm::Function& function);

class QuietCalls;
class Relevance;
// Variables on the stack that others may still use when the function returns, or their scope ends.
std::vector<MemoryAccess> find_releases(llvm::Function& function, const QuietCalls& quiet,
                                        const Relevance& relevance);

// Whether a call may reach MPI, and so move the task on: everything that the module does not show
// to be harmless.
class QuietCalls {
 public:
  explicit QuietCalls(const llvm::Module& module);
  bool is_quiet(const llvm::Instruction& instruction) const;

 private:
  bool is_quiet_call(const llvm::CallBase& call) const;
  bool is_quiet_function(const llvm::Function& function) const;
  std::vector<const llvm::Function*> loud_;  // sorted; of those defined here
};

}  // namespace photofinish::compiler
