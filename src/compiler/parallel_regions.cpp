#include "compiler/parallel_regions.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/libc.h"
#include "photofinish/runtime_abi.h"

namespace photofinish::compiler {

using namespace llvm;

namespace {

bool is_fork(const CallBase& call) {
  const Function* const callee = call.getCalledFunction();
  return callee != nullptr &&
         (callee->getName() == "__kmpc_fork_call" || callee->getName() == "__kmpc_fork_call_if");
}

bool is_mpi_name(StringRef name) {
  return name.starts_with("MPI_") || name.starts_with("PMPI_") || name.starts_with("mpi_") ||
         name.starts_with("pmpi_");
}

bool is_runtime_name(StringRef name) {
  return name.starts_with("__kmpc_") || name.starts_with("omp_");
}

// A call of the library that another part of the pass has added.
bool is_hook(const CallBase& call) {
  const auto* const load = dyn_cast<LoadInst>(call.getCalledOperand());
  return load != nullptr &&
         load->getPointerOperand()->stripInBoundsOffsets()->getName() == PHOTOFINISH_STATE;
}

// All that a region can reach, from its outlined function on.
class Reached {
 public:
  explicit Reached(const Function& region) { reach(region); }

  std::uint64_t kind() {
    while (!waiting_.empty() && kind_ != PHOTOFINISH_REGION_COMMUNICATES) {
      const Function* const next = waiting_.back();
      waiting_.pop_back();
      for (const Instruction& instruction : instructions(*next)) add(instruction);
    }
    return kind_;
  }

 private:
  void reach(const Function& function) {
    if (function.isIntrinsic() || function.getName().starts_with("__photofinish_") ||
        !reached_.insert(&function).second)
      return;
    const StringRef name = function.getName();
    if (is_mpi_name(name))
      kind_ = PHOTOFINISH_REGION_COMMUNICATES;
    else if (!function.isDeclaration())
      waiting_.push_back(&function);
    else if (!is_runtime_name(name) && !is_quiet_name(name) && !function.onlyReadsMemory() &&
             kind_ == PHOTOFINISH_REGION_QUIET)
      kind_ = PHOTOFINISH_REGION_UNKNOWN;
  }
  void add(const Instruction& instruction) {
    if (const auto* call = dyn_cast<CallBase>(&instruction); call != nullptr) {
      const bool known = call->isInlineAsm() || libc_call(*call) != nullptr;
      const auto* callee = dyn_cast<Function>(call->getCalledOperand()->stripPointerCasts());
      if (!known && callee == nullptr && !is_hook(*call) && kind_ == PHOTOFINISH_REGION_QUIET)
        kind_ = PHOTOFINISH_REGION_UNKNOWN;
      if (!known && callee != nullptr) reach(*callee);
      for (const Use& argument : call->args()) add(argument.get());
      return;
    }
    for (const Use& operand : instruction.operands()) add(operand.get());
  }
  void add(const Value* value) {
    if (const auto* function = dyn_cast<Function>(value->stripPointerCasts())) reach(*function);
  }

  SmallPtrSet<const Function*, 16> reached_;
  std::vector<const Function*> waiting_;
  std::uint64_t kind_ = PHOTOFINISH_REGION_QUIET;
};

}  // namespace

std::vector<ParallelRegion> parallel_regions(Function& function) {
  std::vector<ParallelRegion> regions;
  for (Instruction& instruction : instructions(function)) {
    auto* const call = dyn_cast<CallBase>(&instruction);
    if (call == nullptr || !is_fork(*call)) continue;
    const Function* outlined = nullptr;
    for (const Use& argument : call->args())
      if (outlined == nullptr) outlined = dyn_cast<Function>(argument->stripPointerCasts());
    regions.push_back(
        {call, outlined != nullptr ? Reached(*outlined).kind() : PHOTOFINISH_REGION_UNKNOWN});
  }
  return regions;
}

}  // namespace photofinish::compiler
