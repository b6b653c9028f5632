// Determines which memory only the module's own code can access. Accesses to it need no hooks.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Module.h>

#include "compiler/accesses.h"

namespace photofinish::compiler {

// Computes everything before the first hook is inserted: hooks use the addresses, too.
class Relevance {
 public:
  explicit Relevance(const llvm::Module& module);

  // Why an access needs no hook; null: it needs one.
  const char* irrelevant(const MemoryAccess& access) const;
  // Whether the address of the variable may be retained outside of the analyzed code.
  bool gets_out(const llvm::Value& variable) const;

 private:
  const char* unknown_to_others(const llvm::Value& object) const;
  bool forgets(const llvm::CallBase& call, const llvm::Use& argument) const;
  bool static_gets_out(const llvm::Value& pointer,
                       llvm::SmallPtrSetImpl<const llvm::Value*>& seen) const;
  bool gets_private_only(const llvm::Argument& argument) const;

  llvm::SmallPtrSet<const llvm::Argument*, 32>
      forgotten_;  // arguments that the function does not retain or pass to code that does
  llvm::SmallPtrSet<const llvm::Argument*, 32>
      private_;  // arguments that only ever point to private memory
  mutable llvm::DenseMap<const llvm::Value*, bool> known_;
};

}  // namespace photofinish::compiler
