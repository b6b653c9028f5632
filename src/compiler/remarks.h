// Optimization remarks: what the pass did with each access, and why. -Rpass=photofinish shows
// accesses that it dropped, moved out of loops or joined, -Rpass-missed=photofinish those that stay
// in a loop, -Rpass-analysis=photofinish the numbers of each function. (opt: -pass-remarks=… and so
// on.)
#pragma once

#include <llvm/Analysis/OptimizationRemarkEmitter.h>

#include "compiler/accesses.h"

namespace photofinish::compiler {

class Remarks {
 public:
  explicit Remarks(llvm::OptimizationRemarkEmitter& emitter) : emitter_(emitter) {}

  void dropped(const MemoryAccess& access, const char* reason) {
    passed("Dropped", *access.instruction,
           [&](auto& remark) { remark << what(access) << " is not instrumented: " << reason; });
  }
  void hoisted(const MemoryAccess& access, std::size_t loops) {
    passed("Hoisted", *access.instruction, [&](auto& remark) {
      remark << what(access) << " is checked before "
             << llvm::ore::NV("Loops", static_cast<unsigned>(loops))
             << (loops == 1 ? " loop" : " loops");
    });
  }
  void gathered(const MemoryAccess& access, std::size_t loops) {
    passed("Gathered", *access.instruction, [&](auto& remark) {
      remark << what(access) << " is computed from its indices before "
             << llvm::ore::NV("Loops", static_cast<unsigned>(loops))
             << (loops == 1 ? " loop" : " loops");
    });
  }
  void joined(const llvm::Instruction& first, std::size_t accesses, std::size_t pieces) {
    passed("Joined", first, [&](auto& remark) {
      remark << llvm::ore::NV("Accesses", static_cast<unsigned>(accesses))
             << " accesses are checked together, as "
             << llvm::ore::NV("Pieces", static_cast<unsigned>(pieces));
    });
  }
  void stays(const MemoryAccess& access, const char* reason) {
    emitter_.emit([&] {
      llvm::OptimizationRemarkMissed remark(kPass, "Stays", access.instruction);
      remark << what(access) << " is checked in every iteration: " << reason;
      return remark;
    });
  }
  void function(const llvm::Function& function, std::size_t found, std::size_t checked_at) {
    emitter_.emit([&] {
      llvm::OptimizationRemarkAnalysis remark(kPass, "Function", function.getSubprogram(),
                                              &function.getEntryBlock());
      remark << llvm::ore::NV("LookedAt", static_cast<unsigned>(checked_at)) << " of "
             << llvm::ore::NV("Found", static_cast<unsigned>(found))
             << " accesses are instrumented";
      return remark;
    });
  }

 private:
  static constexpr const char* kPass = "photofinish";

  static llvm::StringRef what(const MemoryAccess& access) {
    if (access.releases) return "memory that is freed";
    return access.writes ? "a store" : "a load";
  }
  template <class Text>
  void passed(const char* name, const llvm::Instruction& at, Text text) {
    emitter_.emit([&] {
      llvm::OptimizationRemark remark(kPass, name, &at);
      text(remark);
      return remark;
    });
  }

  llvm::OptimizationRemarkEmitter& emitter_;
};

}  // namespace photofinish::compiler
