// Rule: an access is dropped only if no code outside of this module can have the address, or if the
// memory never changes. That holds for a local or file-static variable of which no pointer escapes.
// A callee that receives a pointer counts as an escape unless it is shown not to retain it.
//
// Functions of the module are analyzed. A function that only uses its argument does not retain it.
// A function called only from this module, with such variables only, accesses private memory. Both
// properties are computed as an optimistic fixpoint.
#include "compiler/relevance.h"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

namespace photofinish::compiler {

using namespace llvm;

namespace {

template <class Forgets>
class Tracker : public CaptureTracker {
 public:
  explicit Tracker(Forgets forgets) : forgets_(forgets) {}
  void tooManyUses() override { found = true; }
  bool captured(const Use* use) override {
    const auto* call = dyn_cast<CallBase>(use->getUser());
    if (call != nullptr && forgets_(*call, *use)) return false;
    return found = true;
  }
  bool found = false;

 private:
  Forgets forgets_;
};

template <class Forgets>
bool is_captured(const Value& pointer, Forgets forgets) {
  Tracker<Forgets> tracker(forgets);
  PointerMayBeCaptured(&pointer, &tracker);
  return tracker.found;
}

}  // namespace

// Whether the call's target is a function of this module, not replaceable at link time, that does
// not retain this argument.
bool Relevance::forgets(const CallBase& call, const Use& argument) const {
  if (!call.isArgOperand(&argument)) return false;
  const unsigned number = call.getArgOperandNo(&argument);
  if (call.doesNotCapture(number)) return true;
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr || callee->isDeclaration() || !callee->isDefinitionExact() ||
      number >= callee->arg_size())
    return false;
  return forgotten_.contains(callee->getArg(number));
}

bool Relevance::gets_out(const Value& variable) const {
  const auto [entry, fresh] = known_.try_emplace(&variable, true);
  if (!fresh) return entry->second;
  const bool out = is_captured(
      variable, [&](const CallBase& call, const Use& use) { return forgets(call, use); });
  return known_[&variable] = out;
}

// Uses of a file-static variable may be in constants, outside of any instruction.
bool Relevance::static_gets_out(const Value& pointer, SmallPtrSetImpl<const Value*>& seen) const {
  if (!seen.insert(&pointer).second) return false;
  for (const Use& use : pointer.uses()) {
    const User* user = use.getUser();
    if (isa<LoadInst>(user) || isa<ICmpInst>(user) || isa<AnyMemIntrinsic>(user)) continue;
    if (const auto* store = dyn_cast<StoreInst>(user)) {
      if (store->getValueOperand() == &pointer) return true;
      continue;
    }
    if (isa<GEPOperator>(user) || isa<BitCastOperator>(user) || isa<PHINode>(user) ||
        isa<SelectInst>(user)) {
      if (static_gets_out(*user, seen)) return true;
      continue;
    }
    if (const auto* call = dyn_cast<CallBase>(user); call != nullptr && forgets(*call, use))
      continue;
    return true;
  }
  return false;
}

const char* Relevance::unknown_to_others(const Value& object) const {
  if (isa<AllocaInst>(object))
    return gets_out(object) ? nullptr : "a local variable that nobody else knows of";
  if (const auto* argument = dyn_cast<Argument>(&object)) {
    if (argument->hasByValAttr())
      return gets_out(object) ? nullptr : "an argument by value that nobody else knows of";
    return private_.contains(argument)
               ? "an argument that is always a variable nobody else knows of"
               : nullptr;
  }
  if (const auto* global = dyn_cast<GlobalVariable>(&object)) {
    if (global->isConstant()) return "a constant";
    if (!global->hasLocalLinkage()) return nullptr;
    const auto [entry, fresh] = known_.try_emplace(&object, true);
    if (fresh) {
      SmallPtrSet<const Value*, 16> seen;
      const bool out = static_gets_out(object, seen);
      known_[&object] = out;
      return out ? nullptr : "a static variable that nobody else knows of";
    }
    return entry->second ? nullptr : "a static variable that nobody else knows of";
  }
  if (isa<Function>(object)) return "code";
  if (isa<UndefValue>(object) || isa<ConstantPointerNull>(object)) return "no address";
  return nullptr;
}

const char* Relevance::irrelevant(const MemoryAccess& access) const {
  if (access.extent.is_array()) return nullptr;
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(access.address, objects, nullptr, 0);
  const char* reason = nullptr;
  for (const Value* object : objects) {
    const char* here = unknown_to_others(*object);
    if (here == nullptr) return nullptr;
    if (reason == nullptr) reason = here;
  }
  return reason;
}

// Whether all callers pass private memory.
bool Relevance::gets_private_only(const Argument& argument) const {
  for (const Use& use : argument.getParent()->uses()) {
    const auto* call = dyn_cast<CallBase>(use.getUser());
    if (call == nullptr || !call->isCallee(&use) || argument.getArgNo() >= call->arg_size())
      return false;
    SmallVector<const Value*, 4> objects;
    getUnderlyingObjects(call->getArgOperand(argument.getArgNo()), objects, nullptr, 0);
    if (!std::all_of(objects.begin(), objects.end(),
                     [&](const Value* object) { return unknown_to_others(*object) != nullptr; }))
      return false;
  }
  return true;
}

Relevance::Relevance(const Module& module) {
  std::vector<const Argument*> arguments;
  for (const Function& function : module) {
    if (function.isDeclaration() || !function.isDefinitionExact()) continue;
    for (const Argument& argument : function.args())
      if (argument.getType()->isPointerTy()) arguments.push_back(&argument);
  }
  const auto settle = [&](auto& kept, auto stays) {
    for (bool changed = true; changed;) {
      changed = false;
      known_.clear();
      for (const Argument* argument : arguments)
        if (kept.contains(argument) && !stays(*argument)) {
          kept.erase(argument);
          changed = true;
        }
    }
  };
  for (const Argument* argument : arguments) forgotten_.insert(argument);
  settle(forgotten_, [&](const Argument& argument) {
    return !is_captured(argument,
                        [&](const CallBase& call, const Use& use) { return forgets(call, use); });
  });
  for (const Argument* argument : arguments)
    if (argument->getParent()->hasLocalLinkage()) private_.insert(argument);
  settle(private_, [&](const Argument& argument) { return gets_private_only(argument); });
  // Computes all answers now: hooks will use the addresses, too.
  known_.clear();
  for (const Function& function : module)
    for (const Instruction& instruction : instructions(function))
      if (isa<AllocaInst>(instruction)) gets_out(instruction);
  for (const GlobalVariable& variable : module.globals()) unknown_to_others(variable);
}

}  // namespace photofinish::compiler
