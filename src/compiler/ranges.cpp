// Rule: a range grows from the innermost loop outwards while all of these hold. The access is made
// in every iteration or in none. The number of iterations is known before the loop. Nothing in the
// loop can reach MPI (QuietCalls). The address is affine in the iteration, or invariant. No access
// is missed: one that does not qualify keeps its hook, at the last loop that did.
#include "compiler/ranges.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace photofinish::compiler {

using namespace llvm;

namespace {

constexpr std::size_t kMaxDimensions = 2;

// For iteration counts that are the maximum of two values at a constant distance: LLVM only proves
// that they do not wrap.
class Larger : public SCEVRewriteVisitor<Larger> {
 public:
  explicit Larger(ScalarEvolution& evolution) : SCEVRewriteVisitor(evolution) {}
  const SCEV* visitUMaxExpr(const SCEVUMaxExpr* both) {
    return larger(both, [&](const SCEV* value) { return SE.getUnsignedRangeMin(value); });
  }
  const SCEV* visitSMaxExpr(const SCEVSMaxExpr* both) {
    return larger(both, [&](const SCEV* value) {
      return SE.getSignedRangeMin(value) -
             APInt::getSignedMinValue(SE.getTypeSizeInBits(value->getType()));
    });
  }

 private:
  // `above` returns how far a value is from the smallest one: a value below it by less than that
  // has not wrapped.
  template <class Above>
  const SCEV* larger(const SCEVMinMaxExpr* both, Above above) {
    if (both->getNumOperands() == 2 && both->getType()->isIntegerTy())
      for (const int one : {0, 1}) {
        const auto* distance = dyn_cast<SCEVConstant>(
            SE.getMinusSCEV(both->getOperand(one), both->getOperand(1 - one)));
        if (distance != nullptr && distance->getAPInt().isNonNegative() &&
            above(both->getOperand(one)).uge(distance->getAPInt()))
          return visit(both->getOperand(one));
      }
    return both;
  }
};

}  // namespace

std::pair<const BranchInst*, const BasicBlock*> arm_of(const BasicBlock* block) {
  while (const BasicBlock* before = block->getSinglePredecessor()) {
    const auto* branch = dyn_cast<BranchInst>(before->getTerminator());
    if (branch == nullptr) break;
    if (branch->isConditional()) return {branch, block};
    block = before;
  }
  return {};
}

void simplify_loops(Function& function, FunctionAnalysisManager& functions) {
  auto& loops = functions.getResult<LoopAnalysis>(function);
  auto& dominators = functions.getResult<DominatorTreeAnalysis>(function);
  bool changed = false;
  for (Loop* loop : loops)
    changed |= simplifyLoop(loop, &dominators, &loops, nullptr,
                            &functions.getResult<AssumptionAnalysis>(function), nullptr, false);
  if (!changed) return;
  PreservedAnalyses kept;
  kept.preserve<LoopAnalysis>();
  kept.preserve<DominatorTreeAnalysis>();
  functions.invalidate(function, kept);
}

void normalize_loops(Function& function, FunctionAnalysisManager& functions) {
  simplify_loops(function, functions);
  auto& loops = functions.getResult<LoopAnalysis>(function);
  auto& dominators = functions.getResult<DominatorTreeAnalysis>(function);
  bool changed = false;
  for (Loop* loop : loops) changed |= formLCSSARecursively(*loop, dominators, &loops, nullptr);
  if (!changed) return;
  PreservedAnalyses kept;
  kept.preserve<LoopAnalysis>();
  kept.preserve<DominatorTreeAnalysis>();
  functions.invalidate(function, kept);
}

bool RangeFinder::is_quiet(const Loop& loop) {
  const auto [entry, fresh] = quiet_loops_.try_emplace(&loop, true);
  if (!fresh) return entry->second;
  bool quiet = true;
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block) quiet = quiet && quiet_.is_quiet(instruction);
  return quiet_loops_[&loop] = quiet;
}

const SCEV* RangeFinder::executions(const BasicBlock* block, const Loop& loop) {
  const BasicBlock* latch = loop.getLoopLatch();
  const BasicBlock* exiting = loop.getExitingBlock();
  if (latch == nullptr || exiting == nullptr || !dominators_.dominates(block, latch))
    return nullptr;
  const SCEV* taken = evolution_.getBackedgeTakenCount(&loop);
  if (isa<SCEVCouldNotCompute>(taken)) return nullptr;
  taken = Larger(evolution_).visit(taken);
  Type* i64 = Type::getInt64Ty(block->getContext());
  if (evolution_.getTypeSizeInBits(taken->getType()) > 64) return nullptr;
  taken = evolution_.getTruncateOrZeroExtend(taken, i64);
  if (dominators_.dominates(block, exiting))
    return evolution_.getAddExpr(taken, evolution_.getOne(i64));
  return dominators_.dominates(exiting, block) ? taken : nullptr;
}

std::optional<Range> RangeFinder::find(const BasicBlock& block, const SCEV* address,
                                       std::uint64_t bytes) {
  return find(block, address, bytes, false, [](const Loop&) -> const char* { return nullptr; });
}

std::optional<Range> RangeFinder::find_rows(const BasicBlock& block, const SCEV* address,
                                            std::uint64_t bytes,
                                            function_ref<const char*(const Loop&)> allows) {
  return find(block, address, bytes, true, allows);
}

std::optional<Range> RangeFinder::find_all_of(const BasicBlock& block, const SCEV* address,
                                              std::uint64_t bytes, const Loop& whole,
                                              bool varying) {
  const auto allows = [&](const Loop& loop) -> const char* {
    if (!whole.contains(&loop)) return "it is not in the loop";
    return isa<SCEVCouldNotCompute>(evolution_.getBackedgeTakenCount(&loop))
               ? "how many iterations there are is not known before"
               : nullptr;
  };
  tests_vary_ = varying;
  const auto range = find(block, address, bytes, false, allows);
  tests_vary_ = false;
  if (!range || range->before->getParent() != whole.getLoopPreheader()) return {};
  return range;
}

std::optional<Range> RangeFinder::find(const BasicBlock& inside, const SCEV* address,
                                       std::uint64_t bytes, bool as_rows,
                                       function_ref<const char*(const Loop&)> allows) {
  reason_ = nullptr;
  const BasicBlock* block = &inside;
  const Loop* loop = loops_.getLoopFor(block);
  if (loop == nullptr) return {};
  if (bytes == 0) {
    reason_ = "how many bytes it touches is not known before";
    return {};
  }
  Range range;
  std::optional<Range> best;
  range.address = address;
  range.bytes = evolution_.getConstant(Type::getInt64Ty(inside.getContext()), bytes);
  SCEVExpander expander(evolution_, inside.getModule()->getDataLayout(), "pf");
  for (; loop != nullptr; loop = loop->getParentLoop()) {
    reason_ = allows(*loop);
    if (reason_ == nullptr) reason_ = widen(range, block, *loop, expander, as_rows);
    if (reason_ != nullptr) break;
    ++range.loops;
    best = range;
    block = loop->getLoopPreheader();
  }
  return best;
}

// A range that begins where the bytes, or a dimension, of another one end extends it: loops over
// tiles and inside tiles. The order of the accesses does not matter.
bool RangeFinder::continues(Range& range, const SCEV* count, const SCEV* stride, bool as_rows) {
  if (stride == range.bytes && !as_rows) {
    range.bytes = evolution_.getMulExpr(range.bytes, count);
    return true;
  }
  for (Range::Dimension& dimension : range.dimensions)
    if (stride == evolution_.getMulExpr(dimension.count, dimension.stride)) {
      dimension.count = evolution_.getMulExpr(dimension.count, count);
      return true;
    }
  return false;
}

bool RangeFinder::comes_before_exits(const BasicBlock* block, const Loop& loop) const {
  SmallVector<BasicBlock*> exiting;
  loop.getExitingBlocks(exiting);
  return loop.getLoopLatch() != nullptr && dominators_.dominates(block, loop.getLoopLatch()) &&
         all_of(exiting,
                [&](const BasicBlock* exit) { return dominators_.dominates(block, exit); });
}

// From a block guarded only by loop-invariant tests to a block that runs in every iteration.
bool RangeFinder::leave_tests(Range& range, const BasicBlock*& block, const Loop& loop) {
  while (!dominators_.dominates(block, loop.getLoopLatch())) {
    const auto [branch, arm] = arm_of(block);
    if (branch == nullptr || !loop.contains(branch) ||
        branch->getSuccessor(0) == branch->getSuccessor(1) ||
        (!tests_vary_ && !loop.isLoopInvariant(branch->getCondition())))
      return false;
    (tests_vary_ ? range.varying : range.conditions)
        .emplace_back(branch->getCondition(), arm == branch->getSuccessor(0));
    block = branch->getParent();
  }
  return true;
}

// Widens the range to the whole loop. Returns null, or why not.
const char* RangeFinder::widen(Range& range, const BasicBlock* block, const Loop& loop,
                               SCEVExpander& expander, bool as_rows) {
  Type* i64 = Type::getInt64Ty(block->getContext());
  const BasicBlock* preheader = loop.getLoopPreheader();
  if (preheader == nullptr) return "the loop has several ways in";
  if (!is_quiet(loop)) return "the loop calls something that could lead to MPI";
  if (loop.getLoopLatch() != nullptr && !as_rows && !leave_tests(range, block, loop))
    return "it is not made in every iteration";
  const auto invariant = [&](const SCEV* value) {
    return evolution_.isLoopInvariant(value, &loop);
  };
  bool fits = invariant(range.bytes);
  for (const Range::Dimension& dimension : range.dimensions)
    fits = fits && invariant(dimension.count) && invariant(dimension.stride);
  for (const auto& [condition, wanted] : range.conditions)
    fits = fits && loop.isLoopInvariant(condition);
  if (!fits) return "the loop inside is not the same in every iteration";
  // Invariant, and made before the first iteration can exit: the number of iterations does not
  // matter.
  if (!invariant(range.address) || !comes_before_exits(block, loop)) {
    const SCEV* count = executions(block, loop);
    if (count == nullptr) return "how many iterations there are is not known before";
    if (const auto* step = dyn_cast<SCEVAddRecExpr>(range.address);
        step != nullptr && step->getLoop() == &loop) {
      const SCEV* stride = step->getStepRecurrence(evolution_);
      if (!step->isAffine() || !invariant(stride)) return "its addresses are not evenly spaced";
      stride = evolution_.getTruncateOrSignExtend(stride, i64);
      range.address = step->getStart();
      if (!continues(range, count, stride, as_rows)) {
        if (range.dimensions.size() == (as_rows ? 1 : kMaxDimensions))
          return "it has too many dimensions";
        range.dimensions.push_back({count, stride});
      }
    } else if (!invariant(range.address)) {
      return "its addresses are not evenly spaced";
    } else if (!evolution_.isKnownPositive(count)) {
      return "the loop may not be entered at all";
    }
  }
  range.before = const_cast<Instruction*>(preheader->getTerminator());
  const auto possible = [&](const SCEV* value) {
    return expander.isSafeToExpandAt(value, range.before);
  };
  bool safe = possible(range.address) && possible(range.bytes);
  for (const Range::Dimension& dimension : range.dimensions)
    safe = safe && possible(dimension.count) && possible(dimension.stride);
  return safe ? nullptr : "its addresses cannot be known before the loop";
}

}  // namespace photofinish::compiler
