#include "compiler/accesses.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <optional>

#include "compiler/libc.h"
#include "compiler/relevance.h"

namespace photofinish::compiler {
namespace {

using namespace llvm;

bool is_delete(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr || call.arg_size() == 0 || !call.getArgOperand(0)->getType()->isPointerTy())
    return false;
  return callee->getName().starts_with("_ZdlPv") || callee->getName().starts_with("_ZdaPv");
}

void add_memory_intrinsic(AnyMemIntrinsic& call, std::vector<MemoryAccess>& accesses) {
  std::uint64_t bytes = 0;
  if (const auto* constant = dyn_cast<ConstantInt>(call.getLength())) {
    bytes = constant->getZExtValue();
    if (bytes == 0) return;
  }
  const Extent extent{Extent::Bytes, call.getLength()};
  accesses.push_back(
      {&call, call.getRawDest(), bytes, extent, true, call.getDestAlign().valueOrOne().value()});
  if (auto* transfer = dyn_cast<AnyMemTransferInst>(&call))
    accesses.push_back({&call, transfer->getRawSource(), bytes, extent, false,
                        transfer->getSourceAlign().valueOrOne().value()});
}

// Vector intrinsics that access only some lanes.
void add_vector_intrinsic(IntrinsicInst& call, std::vector<MemoryAccess>& accesses) {
  struct Arguments {
    int value, address, mask, lanes;  // argument numbers; -1: the returned value, or none
    bool packed;                      // active lanes are contiguous in memory
  } at;
  switch (call.getIntrinsicID()) {
    case Intrinsic::masked_load:
      at = {-1, 0, 2, -1, false};
      break;
    case Intrinsic::masked_store:
      at = {0, 1, 3, -1, false};
      break;
    case Intrinsic::masked_gather:
      at = {-1, 0, 2, -1, false};
      break;
    case Intrinsic::masked_scatter:
      at = {0, 1, 3, -1, false};
      break;
    case Intrinsic::masked_expandload:
      at = {-1, 0, 1, -1, true};
      break;
    case Intrinsic::masked_compressstore:
      at = {0, 1, 2, -1, true};
      break;
    case Intrinsic::vp_load:
    case Intrinsic::vp_gather:
      at = {-1, 0, 1, 2, false};
      break;
    case Intrinsic::vp_store:
    case Intrinsic::vp_scatter:
      at = {0, 1, 2, 3, false};
      break;
    default:
      return;
  }
  const auto argument = [&](int index) {
    return index >= 0 ? call.getArgOperand(static_cast<unsigned>(index)) : nullptr;
  };
  const auto* type =
      cast<VectorType>(at.value >= 0 ? argument(at.value)->getType() : call.getType());
  const DataLayout& layout = call.getModule()->getDataLayout();
  const std::uint64_t bytes = layout.getTypeStoreSize(type->getElementType()).getFixedValue();
  MemoryAccess access{&call, argument(at.address), 0, {}, at.value >= 0};
  if (at.packed) {
    access.extent = {Extent::Lanes, ConstantInt::get(Type::getInt64Ty(call.getContext()), bytes),
                     argument(at.mask)};
  } else {
    access.mask = argument(at.mask);
    access.lanes = argument(at.lanes);
    access.lane_bytes = bytes;
  }
  accesses.push_back(access);
}

}  // namespace

bool same_line(const DebugLoc& a, const DebugLoc& b) {
  if (!a || !b) return !a && !b;
  return a.getLine() == b.getLine() && a.getScope() == b.getScope() &&
         a.getInlinedAt() == b.getInlinedAt();
}

DebugLoc location_of(const Instruction& instruction) {
  const auto has_line = [](const Instruction& one) {
    return one.getDebugLoc() && one.getDebugLoc().getLine() != 0;
  };
  if (has_line(instruction)) return instruction.getDebugLoc();
  const DISubprogram* here = instruction.getFunction()->getSubprogram();
  if (here == nullptr) return {};
  const BasicBlock* block = instruction.getParent();
  const Instruction* before = &instruction;
  for (int blocks = 0; blocks < 8; ++blocks) {
    for (; before != nullptr; before = before->getPrevNode())
      if (has_line(*before)) return before->getDebugLoc();
    if (pred_empty(block)) break;
    block = *pred_begin(block);
    before = block->getTerminator();
  }
  return DILocation::get(instruction.getContext(), here->getLine(), 0,
                         const_cast<DISubprogram*>(here));
}

std::vector<MemoryAccess> find_accesses(Function& function) {
  std::vector<MemoryAccess> accesses;
  const DataLayout& layout = function.getParent()->getDataLayout();
  const auto add = [&](Instruction& instruction, Value* address, Type* type, bool writes,
                       Align align) {
    const TypeSize size = layout.getTypeStoreSize(type);
    if (size.getKnownMinValue() == 0) return;
    const Extent extent{Extent::Scalable, ConstantInt::get(Type::getInt64Ty(function.getContext()),
                                                           size.getKnownMinValue())};
    accesses.push_back({&instruction, address, size.isScalable() ? 0 : size.getFixedValue(), extent,
                        writes, align.value()});
  };
  for (Instruction& instruction : instructions(function)) {
    if (instruction.hasMetadata(LLVMContext::MD_nosanitize)) continue;
    if (auto* load = dyn_cast<LoadInst>(&instruction)) {
      if (!load->hasMetadata(LLVMContext::MD_invariant_load))
        add(*load, load->getPointerOperand(), load->getType(), false, load->getAlign());
    } else if (auto* store = dyn_cast<StoreInst>(&instruction)) {
      add(*store, store->getPointerOperand(), store->getValueOperand()->getType(), true,
          store->getAlign());
    } else if (auto* update = dyn_cast<AtomicRMWInst>(&instruction)) {
      add(*update, update->getPointerOperand(), update->getValOperand()->getType(), true,
          update->getAlign());
    } else if (auto* swap = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
      add(*swap, swap->getPointerOperand(), swap->getCompareOperand()->getType(), true,
          swap->getAlign());
    } else if (auto* memory = dyn_cast<AnyMemIntrinsic>(&instruction)) {
      add_memory_intrinsic(*memory, accesses);
    } else if (auto* call = dyn_cast<CallBase>(&instruction)) {
      if (auto* intrinsic = dyn_cast<IntrinsicInst>(call))
        add_vector_intrinsic(*intrinsic, accesses);
      else if (const LibcCall* known = libc_call(*call))
        add_libc_call(*call, *known, accesses);
      else if (is_delete(*call)) {
        Value* none = ConstantInt::get(Type::getInt64Ty(function.getContext()), 0);
        accesses.push_back({call, call->getArgOperand(0), 0, {Extent::Bytes, none}, true, 1, true});
      }
    }
  }
  // Pointers in other address spaces (thread-local segments) do not point to shared memory. Only
  // loads and stores may use swifterror pointers.
  std::erase_if(accesses, [](const MemoryAccess& access) {
    return access.address->getType()->getScalarType()->getPointerAddressSpace() != 0 ||
           access.address->isSwiftError();
  });
  return accesses;
}

std::vector<MemoryAccess> find_releases(Function& function, const QuietCalls& quiet,
                                        const Relevance& relevance) {
  std::vector<MemoryAccess> releases;
  // A function without calls that may reach MPI cannot leave an operation pending.
  if (std::all_of(inst_begin(function), inst_end(function),
                  [&](const Instruction& i) { return quiet.is_quiet(i); }))
    return releases;
  std::vector<Instruction*> ends;
  std::vector<Instruction*> throws;  // leave the function without a landing pad in it
  for (BasicBlock& block : function)
    if (Instruction* last = block.getTerminator(); isa<ReturnInst>(last) || isa<ResumeInst>(last)) {
      if (block.getTerminatingMustTailCall() == nullptr) ends.push_back(last);
    } else if (isa<UnreachableInst>(last)) {
      auto* call = dyn_cast_or_null<CallInst>(last->getPrevNonDebugInstruction());
      const Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
      if (callee != nullptr &&
          (callee->getName() == "__cxa_throw" || callee->getName() == "__cxa_rethrow"))
        throws.push_back(call);
    }
  const DataLayout& layout = function.getParent()->getDataLayout();
  for (Instruction& instruction : function.getEntryBlock()) {
    auto* variable = dyn_cast<AllocaInst>(&instruction);
    if (variable == nullptr || !variable->isStaticAlloca()) continue;
    const auto size = variable->getAllocationSize(layout);
    if (!size || size->isScalable() || size->getFixedValue() == 0) continue;
    if (!relevance.gets_out(*variable)) continue;
    const auto add = [&](Instruction* at) {
      releases.push_back(
          {at, variable, size->getFixedValue(), {}, true, variable->getAlign().value(), true});
    };
    bool scoped = false;
    for (User* user : variable->users())
      if (auto* end = dyn_cast<IntrinsicInst>(user);
          end != nullptr && end->getIntrinsicID() == Intrinsic::lifetime_end)
        scoped = true, add(end);
    if (!scoped)
      for (Instruction* end : ends) add(end);
    for (Instruction* end : throws) add(end);
  }
  return releases;
}

QuietCalls::QuietCalls(const Module& module) {
  // Optimistic fixpoint: a defined function is quiet until it calls one that is not.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Function& function : module) {
      if (function.isDeclaration() || std::binary_search(loud_.begin(), loud_.end(), &function))
        continue;
      if (std::all_of(inst_begin(function), inst_end(function),
                      [&](const Instruction& i) { return is_quiet(i); }))
        continue;
      loud_.insert(std::upper_bound(loud_.begin(), loud_.end(), &function), &function);
      changed = true;
    }
  }
}

bool QuietCalls::is_quiet_function(const Function& function) const {
  if (function.isDeclaration()) return is_quiet_name(function.getName());
  return function.isDefinitionExact() && !std::binary_search(loud_.begin(), loud_.end(), &function);
}

bool QuietCalls::is_quiet_call(const CallBase& call) const {
  if (isa<IntrinsicInst>(call) || call.doesNotAccessMemory()) return true;
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr) return false;
  if (!callee->isDeclaration()) return is_quiet_function(*callee);
  const LibcCall* known = libc_call(call);
  if (known == nullptr) return is_quiet_name(callee->getName());
  const Value* back = called_back(call, *known);
  if (back == nullptr) return true;
  const auto* function = dyn_cast<Function>(back->stripPointerCasts());
  return function != nullptr && is_quiet_function(*function);
}

bool QuietCalls::is_quiet(const Instruction& instruction) const {
  const auto* call = dyn_cast<CallBase>(&instruction);
  return call == nullptr || is_quiet_call(*call);
}

}  // namespace photofinish::compiler
