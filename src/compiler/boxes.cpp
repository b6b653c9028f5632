// Rule: an address that is affine in the iteration takes its extremes in the first and the last
// one. This holds for an outer loop, too, if the bounds of the inner loop are affine in it, even if
// it does not enter the inner loop in some iterations: a box of more iterations is larger.
#include "compiler/boxes.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace photofinish::compiler {

using namespace llvm;

const SCEV* BoxFinder::bound(const SCEV* value, const Loop& loop, End end) {
  if (evolution_.isLoopInvariant(value, &loop)) return value;
  if (const auto* step = dyn_cast<SCEVAddRecExpr>(value);
      step != nullptr && step->getLoop() == &loop) {
    const SCEV* taken = evolution_.getBackedgeTakenCount(&loop);
    if (!step->isAffine() || isa<SCEVCouldNotCompute>(taken) ||
        evolution_.getTypeSizeInBits(taken->getType()) > 64)
      return nullptr;
    const SCEV* stride = step->getStepRecurrence(evolution_);
    if (!evolution_.isLoopInvariant(stride, &loop)) return nullptr;
    const SCEV* first = step->getStart();
    const SCEV* last = evolution_.getAddExpr(
        first, evolution_.getMulExpr(evolution_.getTruncateOrZeroExtend(taken, stride->getType()),
                                     stride));
    if (evolution_.isKnownNonNegative(stride)) return end == End::Low ? first : last;
    if (evolution_.isKnownNonPositive(stride)) return end == End::Low ? last : first;
    return end == End::Low ? evolution_.getUMinExpr(first, last)
                           : evolution_.getUMaxExpr(first, last);
  }
  // Sums and extremes grow with each of their operands.
  const auto* operands = dyn_cast<SCEVNAryExpr>(value);
  if (operands == nullptr ||
      (!isa<SCEVAddExpr>(value) && !isa<SCEVUMinExpr>(value) && !isa<SCEVUMaxExpr>(value)))
    return nullptr;
  SmallVector<const SCEV*, 4> bounds;
  for (const SCEV* operand : operands->operands()) {
    const SCEV* one = bound(operand, loop, end);
    if (one == nullptr) return nullptr;
    bounds.push_back(one);
  }
  if (isa<SCEVAddExpr>(value)) return evolution_.getAddExpr(bounds);
  return isa<SCEVUMinExpr>(value) ? evolution_.getUMinExpr(bounds) : evolution_.getUMaxExpr(bounds);
}

std::optional<BoxFinder::Box> BoxFinder::find(const BasicBlock& block, Box box,
                                              const Loop& outermost) {
  for (const Loop* loop = loops_.getLoopFor(&block); loop != nullptr && outermost.contains(loop);
       loop = loop->getParentLoop()) {
    box.low = bound(box.low, *loop, End::Low);
    box.high = bound(box.high, *loop, End::High);
    if (box.low == nullptr || box.high == nullptr) return {};
  }
  return box;
}

std::optional<BoxFinder::Box> BoxFinder::find(const BasicBlock& block, const SCEV* address,
                                              std::uint64_t bytes, const Loop& outermost) {
  if (!address->getType()->isPointerTy()) return {};
  if (bytes != 0)
    if (const SCEV* first = evolution_.getLosslessPtrToIntExpr(address);
        !isa<SCEVCouldNotCompute>(first)) {
      const SCEV* size = evolution_.getConstant(first->getType(), bytes);
      if (const auto box = find(block, {first, evolution_.getAddExpr(first, size)}, outermost))
        return box;
    }
  return variable_of(address);
}

// A global variable, for example a common block of Fortran, or a local one.
std::optional<BoxFinder::Box> BoxFinder::variable_of(const SCEV* address) {
  const auto* base = dyn_cast<SCEVUnknown>(evolution_.getPointerBase(address));
  if (base == nullptr) return {};
  Value* variable = const_cast<Value*>(getUnderlyingObject(base->getValue()));
  const DataLayout* layout = nullptr;
  std::optional<TypeSize> size;
  if (auto* global = dyn_cast<GlobalVariable>(variable);
      global != nullptr && global->hasDefinitiveInitializer() && !global->isThreadLocal()) {
    layout = &global->getParent()->getDataLayout();
    size = layout->getTypeAllocSize(global->getValueType());
  } else if (auto* local = dyn_cast<AllocaInst>(variable); local != nullptr) {
    layout = &local->getModule()->getDataLayout();
    size = local->getAllocationSize(*layout);
  }
  if (!size || size->isScalable()) return {};
  const SCEV* low = evolution_.getLosslessPtrToIntExpr(evolution_.getSCEV(variable));
  if (isa<SCEVCouldNotCompute>(low)) return {};
  return Box{low, evolution_.getAddExpr(
                      low, evolution_.getConstant(low->getType(), size->getFixedValue()))};
}

std::vector<BoxFinder::Box> joined(std::vector<BoxFinder::Box> boxes, ScalarEvolution& evolution) {
  std::vector<BoxFinder::Box> few;
  const auto distance = [&](const SCEV* a, const SCEV* b) {
    return dyn_cast<SCEVConstant>(evolution.getMinusSCEV(a, b));
  };
  const auto joins = [&](BoxFinder::Box& box, const BoxFinder::Box& other) {
    const SCEVConstant *low = distance(other.low, box.low), *high = distance(other.high, box.high);
    if (low == nullptr || high == nullptr) return false;
    if (low->getAPInt().isNegative()) box.low = other.low;
    if (!high->getAPInt().isNegative()) box.high = other.high;
    return true;
  };
  for (const BoxFinder::Box& box : boxes)
    if (none_of(few, [&](BoxFinder::Box& known) { return joins(known, box); })) few.push_back(box);
  return few;
}

std::optional<std::vector<std::pair<Value*, Value*>>> expand(
    const std::vector<BoxFinder::Box>& boxes, SCEVExpander& expander, Instruction* before) {
  for (const BoxFinder::Box& box : boxes)
    for (const SCEV* end : {box.low, box.high})
      if (!expander.isSafeToExpandAt(end, before)) return {};
  std::vector<std::pair<Value*, Value*>> values;
  const auto value = [&](const SCEV* end) {
    return expander.expandCodeFor(end, end->getType(), before);
  };
  for (const BoxFinder::Box& box : boxes) values.push_back({value(box.low), value(box.high)});
  return values;
}

}  // namespace photofinish::compiler
