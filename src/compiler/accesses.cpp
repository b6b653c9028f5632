// Rule: an access is left out only if nobody but this function's own code can have the address: a local, or a static variable of the
// file, of which no pointer gets out; or what never changes. Whoever gets a pointer and is not shown to forget it keeps the access.
#include "compiler/accesses.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <optional>

namespace photofinish::compiler {
namespace {

using namespace llvm;

// --- calls that touch memory

struct Argument {
  int pointer = -1, size = -1, count = -1;
  bool writes = false;
};
struct LibcCall {
  const char* name;
  Argument arguments[2];
};
#define R(pointer, size) {pointer, size, -1, false}
#define W(pointer, size) {pointer, size, -1, true}
#define RS(pointer, size, count) {pointer, size, count, false}
#define WS(pointer, size, count) {pointer, size, count, true}
#define NONE {}
constexpr LibcCall kLibcCalls[] = {
#define LIBC(name, first, ...) {#name, {first, __VA_ARGS__}},
#include "compiler/libc_calls.def"
#undef LIBC
};
#undef R
#undef W
#undef RS
#undef WS
#undef NONE

const LibcCall* libc_call(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return nullptr;
  for (const LibcCall& known : kLibcCalls)
    if (callee->getName() == known.name) return &known;
  return nullptr;
}

bool frees(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr || call.arg_size() == 0 || !call.getArgOperand(0)->getType()->isPointerTy()) return false;
  const StringRef name = callee->getName();
  return name == "free" || name == "cfree" || name.starts_with("_ZdlPv") || name.starts_with("_ZdaPv");
}

bool is_quiet_name(StringRef name) {
  static constexpr const char* kNames[] = {
#define QUIET(name) #name,
#include "compiler/quiet_calls.def"
#undef QUIET
  };
  for (const char* known : kNames)
    if (name == known) return true;
  return false;
}

void add_libc_call(CallBase& call, const LibcCall& known, std::vector<MemoryAccess>& accesses) {
  for (const Argument& argument : known.arguments) {
    if (argument.pointer < 0 || static_cast<unsigned>(std::max({argument.pointer, argument.size, argument.count})) >= call.arg_size()) continue;
    Value* size = call.getArgOperand(static_cast<unsigned>(argument.size));
    if (argument.count >= 0) {  // the product is made where the hook is
      IRBuilder<> builder(&call);
      size = builder.CreateMul(size, call.getArgOperand(static_cast<unsigned>(argument.count)), "pf.size");
    }
    if (!size->getType()->isIntegerTy()) continue;
    accesses.push_back({&call, call.getArgOperand(static_cast<unsigned>(argument.pointer)), 0, size, argument.writes, 1});
  }
}

void add_memory_intrinsic(AnyMemIntrinsic& call, std::vector<MemoryAccess>& accesses) {
  std::uint64_t bytes = 0;
  if (const auto* constant = dyn_cast<ConstantInt>(call.getLength())) {
    bytes = constant->getZExtValue();
    if (bytes == 0) return;
  }
  accesses.push_back({&call, call.getRawDest(), bytes, call.getLength(), true, call.getDestAlign().valueOrOne().value()});
  if (auto* transfer = dyn_cast<AnyMemTransferInst>(&call))
    accesses.push_back({&call, transfer->getRawSource(), bytes, call.getLength(), false, transfer->getSourceAlign().valueOrOne().value()});
}

// --- what stays at home

bool gets_out(const Value* pointer, SmallPtrSetImpl<const Value*>& seen) {
  if (!seen.insert(pointer).second) return false;
  for (const Use& use : pointer->uses()) {
    const User* user = use.getUser();
    if (isa<LoadInst>(user) || isa<ICmpInst>(user) || isa<AnyMemIntrinsic>(user)) continue;
    if (const auto* store = dyn_cast<StoreInst>(user)) {
      if (store->getValueOperand() == pointer) return true;
      continue;
    }
    if (isa<GEPOperator>(user) || isa<BitCastOperator>(user) || isa<PHINode>(user) || isa<SelectInst>(user)) {
      if (gets_out(user, seen)) return true;
      continue;
    }
    return true;
  }
  return false;
}

}  // namespace

std::vector<MemoryAccess> find_accesses(Function& function) {
  std::vector<MemoryAccess> accesses;
  const DataLayout& layout = function.getParent()->getDataLayout();
  const auto add = [&](Instruction& instruction, Value* address, Type* type, bool writes, Align align) {
    const TypeSize size = layout.getTypeStoreSize(type);
    if (size.isScalable() || size.getFixedValue() == 0) return;
    accesses.push_back({&instruction, address, size.getFixedValue(), nullptr, writes, align.value()});
  };
  for (Instruction& instruction : instructions(function)) {
    if (instruction.hasMetadata(LLVMContext::MD_nosanitize)) continue;
    if (auto* load = dyn_cast<LoadInst>(&instruction)) {
      if (!load->hasMetadata(LLVMContext::MD_invariant_load)) add(*load, load->getPointerOperand(), load->getType(), false, load->getAlign());
    } else if (auto* store = dyn_cast<StoreInst>(&instruction)) {
      add(*store, store->getPointerOperand(), store->getValueOperand()->getType(), true, store->getAlign());
    } else if (auto* update = dyn_cast<AtomicRMWInst>(&instruction)) {
      add(*update, update->getPointerOperand(), update->getValOperand()->getType(), true, update->getAlign());
    } else if (auto* swap = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
      add(*swap, swap->getPointerOperand(), swap->getCompareOperand()->getType(), true, swap->getAlign());
    } else if (auto* memory = dyn_cast<AnyMemIntrinsic>(&instruction)) {
      add_memory_intrinsic(*memory, accesses);
    } else if (auto* call = dyn_cast<CallBase>(&instruction)) {
      if (const LibcCall* known = libc_call(*call)) add_libc_call(*call, *known, accesses);
      else if (frees(*call)) {
        Value* none = ConstantInt::get(Type::getInt64Ty(function.getContext()), 0);
        accesses.push_back({call, call->getArgOperand(0), 0, none, true, 1, true});
      }
    }
  }
  return accesses;
}

std::vector<MemoryAccess> find_releases(Function& function, const QuietCalls& quiet) {
  std::vector<MemoryAccess> releases;
  // What calls nothing that could lead to MPI cannot have left anything in flight.
  if (std::all_of(inst_begin(function), inst_end(function), [&](const Instruction& i) { return quiet.is_quiet(i); })) return releases;
  std::vector<Instruction*> ends;
  for (BasicBlock& block : function)
    if (Instruction* last = block.getTerminator(); isa<ReturnInst>(last) || isa<ResumeInst>(last))
      if (block.getTerminatingMustTailCall() == nullptr) ends.push_back(last);
  const DataLayout& layout = function.getParent()->getDataLayout();
  for (Instruction& instruction : function.getEntryBlock()) {
    auto* variable = dyn_cast<AllocaInst>(&instruction);
    if (variable == nullptr || !variable->isStaticAlloca()) continue;
    const auto size = variable->getAllocationSize(layout);
    if (!size || size->isScalable() || size->getFixedValue() == 0) continue;
    if (!PointerMayBeCaptured(variable, true, true)) continue;
    const auto add = [&](Instruction* at) {
      releases.push_back({at, variable, size->getFixedValue(), ConstantInt::get(Type::getInt64Ty(function.getContext()), size->getFixedValue()), true,
                          variable->getAlign().value(), true});
    };
    bool scoped = false;
    for (User* user : variable->users())
      if (auto* end = dyn_cast<IntrinsicInst>(user); end != nullptr && end->getIntrinsicID() == Intrinsic::lifetime_end) scoped = true, add(end);
    if (!scoped)
      for (Instruction* end : ends) add(end);
  }
  return releases;
}

const char* irrelevant(const MemoryAccess& access) {
  const Value* object = getUnderlyingObject(access.address, 0);
  if (isa<AllocaInst>(object))
    return PointerMayBeCaptured(object, /*ReturnCaptures=*/true, /*StoreCaptures=*/true) ? nullptr : "a local variable that nobody else knows of";
  if (const auto* global = dyn_cast<GlobalVariable>(object)) {
    if (global->isConstant()) return "a constant";
    if (!global->hasLocalLinkage()) return nullptr;
    SmallPtrSet<const Value*, 16> seen;
    return gets_out(global, seen) ? nullptr : "a static variable that nobody else knows of";
  }
  if (isa<Function>(object)) return "code";
  return nullptr;
}

QuietCalls::QuietCalls(const Module& module) {
  // All that is defined here is quiet until it calls something that is not.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Function& function : module) {
      if (function.isDeclaration() || std::binary_search(loud_.begin(), loud_.end(), &function)) continue;
      if (std::all_of(inst_begin(function), inst_end(function), [&](const Instruction& i) { return is_quiet(i); })) continue;
      loud_.insert(std::upper_bound(loud_.begin(), loud_.end(), &function), &function);
      changed = true;
    }
  }
}

bool QuietCalls::is_quiet_call(const CallBase& call) const {
  if (isa<IntrinsicInst>(call) || call.doesNotAccessMemory()) return true;
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr) return false;
  if (callee->isDeclaration()) return libc_call(call) != nullptr || is_quiet_name(callee->getName());
  return callee->isDefinitionExact() && !std::binary_search(loud_.begin(), loud_.end(), callee);
}

bool QuietCalls::is_quiet(const Instruction& instruction) const {
  const auto* call = dyn_cast<CallBase>(&instruction);
  return call == nullptr || is_quiet_call(*call);
}

}  // namespace photofinish::compiler
