// Which memory only the module's own code can know of: accesses to it need not be looked at.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Module.h>

#include "compiler/accesses.h"

namespace photofinish::compiler {

// All of it is found out before the first hook is put in: hooks have the addresses, too.
class Relevance {
 public:
  explicit Relevance(const llvm::Module& module);

  // Why an access need not be looked at; null: it must.
  const char* irrelevant(const MemoryAccess& access) const;
  // Somebody may keep the address of a variable beyond what is shown here.
  bool gets_out(const llvm::Value& variable) const;

 private:
  const char* unknown_to_others(const llvm::Value& object) const;
  bool forgets(const llvm::CallBase& call, const llvm::Use& argument) const;
  bool static_gets_out(const llvm::Value& pointer,
                       llvm::SmallPtrSetImpl<const llvm::Value*>& seen) const;
  bool gets_private_only(const llvm::Argument& argument) const;

  llvm::SmallPtrSet<const llvm::Argument*, 32>
      forgotten_;  // the function does not keep it, nor gives it to somebody who does
  llvm::SmallPtrSet<const llvm::Argument*, 32>
      private_;  // all that is ever passed is unknown to others
  mutable llvm::DenseMap<const llvm::Value*, bool> known_;
};

}  // namespace photofinish::compiler
