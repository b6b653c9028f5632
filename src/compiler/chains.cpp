// Rule: the rows of an inner loop are one row of the outer loop if all of these hold. A row ends
// where the row of the next iteration begins: both ends are loads at addresses one step apart, the
// begin is a phi that the end goes into, or all rows have the same length. The inner loop is
// skipped only if its row is empty. The outer loop has a single exit, at its end, everything in it
// returns, and nothing in it may write to the ends or to the indices.
//
// Misses: rows that overlap, since a later row begins before an earlier one. start[] must not
// decrease, as in all formats of compressed rows.
#include "compiler/chains.h"

#include <llvm/Analysis/DomTreeUpdater.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <set>

namespace photofinish::compiler {

using namespace llvm;

namespace {

// The begin or end of a row, as it is and extended to 64 bits.
struct Ends {
  const SCEV *begin, *end;
  bool is_signed;
};

std::vector<Ends> forms_of(const SCEV* begin, const SCEV* end, ScalarEvolution& evolution) {
  std::vector<Ends> all{{begin, end, true}};
  Type* i64 = Type::getInt64Ty(evolution.getContext());
  if (begin->getType() == i64 || evolution.getTypeSizeInBits(begin->getType()) > 64) return all;
  const SCEV* wide_begin = evolution.getSignExtendExpr(begin, i64);
  all.push_back({wide_begin, evolution.getSignExtendExpr(end, i64), true});
  // Fortran: do k = start(row), start(row + 1) - 1
  const SCEV* last = evolution.getMinusSCEV(end, evolution.getOne(end->getType()));
  all.push_back(
      {wide_begin,
       evolution.getAddExpr(evolution.getSignExtendExpr(last, i64), evolution.getOne(i64)), true});
  all.push_back(
      {evolution.getZeroExtendExpr(begin, i64), evolution.getZeroExtendExpr(end, i64), false});
  return all;
}

// Whether `times` is the length of the row from begin to end, if that is positive.
bool is_length(const SCEV* times, const Ends& ends, ScalarEvolution& evolution) {
  Type *type = ends.begin->getType(), *i64 = Type::getInt64Ty(evolution.getContext());
  const SCEV* one = evolution.getOne(type);
  const SCEV* length = evolution.getMinusSCEV(ends.end, ends.begin);
  const SCEV* next = evolution.getAddExpr(ends.begin, one);
  const SCEV* largest[] = {
      length,
      evolution.getMinusSCEV(evolution.getAddExpr(length, one), evolution.getUMinExpr(one, length)),
      evolution.getMinusSCEV(evolution.getSMaxExpr(ends.end, next), ends.begin),
      evolution.getMinusSCEV(evolution.getUMaxExpr(ends.end, next), ends.begin)};
  return any_of(largest, [&](const SCEV* one_length) {
    const SCEV* all_but_one = evolution.getMinusSCEV(one_length, one);
    return times == one_length ||
           (type != i64 && (times == evolution.getZeroExtendExpr(one_length, i64) ||
                            times == evolution.getSignExtendExpr(one_length, i64))) ||
           times == evolution.getAddExpr(evolution.getTruncateOrZeroExtend(all_but_one, i64),
                                         evolution.getOne(i64));
  });
}

// Whether the test holds exactly if the row is not empty.
bool is_not_empty(CmpInst::Predicate predicate, const SCEV* left, const SCEV* right,
                  const Ends& ends, ScalarEvolution& evolution) {
  if (ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate)) {
    std::swap(left, right);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  if (left->getType() != ends.begin->getType()) return false;
  const SCEV *zero = evolution.getZero(left->getType()), *one = evolution.getOne(left->getType());
  const SCEV* length = evolution.getMinusSCEV(ends.end, ends.begin);
  if (ICmpInst::isLT(predicate))
    return (left == ends.begin && right == ends.end) || (left == zero && right == length) ||
           (left == evolution.getMinusSCEV(zero, one) &&
            right == evolution.getMinusSCEV(length, one));
  if (ICmpInst::isLE(predicate))
    return (left == ends.begin && right == evolution.getMinusSCEV(ends.end, one)) ||
           (left == evolution.getAddExpr(ends.begin, one) && right == ends.end) ||
           (left == one && right == length);
  if (predicate != CmpInst::ICMP_NE) return false;
  return (left == ends.begin && right == ends.end) || (left == ends.end && right == ends.begin) ||
         (left == length && right == zero);
}

// The instructions inside the loop that the value is computed from, by ScalarEvolution's limits.
std::set<Instruction*> parts_in(const Loop& loop, const SCEV* value) {
  std::set<Instruction*> parts;
  SCEVExprContains(value, [&](const SCEV* part) {
    if (const auto* unknown = dyn_cast<SCEVUnknown>(part))
      if (auto* instruction = dyn_cast<Instruction>(unknown->getValue());
          instruction != nullptr && loop.contains(instruction))
        parts.insert(instruction);
    return false;
  });
  return parts;
}

bool repeats(const SCEV* value, const Loop& loop) {
  return SCEVExprContains(value, [&](const SCEV* part) {
    const auto* step = dyn_cast<SCEVAddRecExpr>(part);
    return step != nullptr && (step->getLoop() == &loop || loop.contains(step->getLoop()));
  });
}

// A value in the first iteration of the loop, with other values in place of some unknown ones.
class FirstIteration : public SCEVRewriteVisitor<FirstIteration> {
 public:
  FirstIteration(ScalarEvolution& evolution, const Loop& loop, const ValueToSCEVMapTy& values)
      : SCEVRewriteVisitor(evolution), loop_(loop), values_(values) {}
  const SCEV* visitAddRecExpr(const SCEVAddRecExpr* step) {
    return step->getLoop() == &loop_ ? visit(step->getStart()) : step;
  }
  const SCEV* visitUnknown(const SCEVUnknown* unknown) {
    const auto found = values_.find(unknown->getValue());
    return found != values_.end() ? found->second : unknown;
  }

 private:
  const Loop& loop_;
  const ValueToSCEVMapTy& values_;
};

// An address whose narrow indices do not wrap in the loop. Adds their last values to `fitting`.
class Unwrapped : public SCEVRewriteVisitor<Unwrapped> {
 public:
  Unwrapped(ScalarEvolution& evolution, Chain& chain)
      : SCEVRewriteVisitor(evolution), chain_(chain) {}
  const SCEV* visitSignExtendExpr(const SCEVSignExtendExpr* wide) {
    Type* i64 = Type::getInt64Ty(SE.getContext());
    const auto* narrow = dyn_cast<SCEVAddRecExpr>(wide->getOperand());
    if (narrow == nullptr || narrow->getLoop() != chain_.outer || !narrow->isAffine() ||
        wide->getType() != i64)
      return wide;
    const SCEV* made = SE.getAddRecExpr(SE.getSignExtendExpr(narrow->getStart(), i64),
                                        SE.getSignExtendExpr(narrow->getStepRecurrence(SE), i64),
                                        chain_.outer, SCEV::FlagAnyWrap);
    if (const auto* step = dyn_cast<SCEVAddRecExpr>(made))
      chain_.fitting.emplace_back(
          step->evaluateAtIteration(SE.getMinusSCEV(chain_.count, SE.getOne(i64)), SE),
          static_cast<unsigned>(SE.getTypeSizeInBits(narrow->getType())));
    return made;
  }

 private:
  Chain& chain_;
};

const SCEVAddRecExpr* affine_in(const Loop& loop, const SCEV* value) {
  const auto* step = dyn_cast<SCEVAddRecExpr>(value);
  return step != nullptr && step->getLoop() == &loop && step->isAffine() ? step : nullptr;
}

}  // namespace

const char* changes_in(const Loop& loop, const LoadInst& load, ScalarEvolution& evolution,
                       AAResults& aliases) {
  // The whole object, in all iterations. Scopes of restrict pointers may hold for one iteration
  // only.
  const auto* object = dyn_cast<SCEVUnknown>(
      evolution.getPointerBase(evolution.getSCEV(const_cast<Value*>(load.getPointerOperand()))));
  if (object == nullptr) return "its indices are in memory that is not known";
  AAMDNodes type = load.getAAMetadata();
  type.Scope = type.NoAlias = nullptr;
  const MemoryLocation memory(object->getValue(), LocationSize::beforeOrAfterPointer(), type);
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block) {
      if (!isGuaranteedToTransferExecutionToSuccessor(&instruction))
        return "the loop may not terminate";
      if (instruction.mayWriteToMemory() && isModSet(aliases.getModRefInfo(&instruction, memory)))
        return "its indices may change in the loop";
    }
  return nullptr;
}

bool ChainFinder::add_constant(Chain& chain, LoadInst* load) const {
  if (load == nullptr || !load->isSimple()) return false;
  if (is_contained(chain.constants, load)) return true;
  if (changes_in(*chain.outer, *load, evolution_, aliases_) != nullptr ||
      !is_constant(chain, evolution_.getSCEV(load->getPointerOperand())))
    return false;
  chain.constants.push_back(load);
  return true;
}

bool ChainFinder::is_constant(Chain& chain, const SCEV* value) const {
  const auto divides = [](const SCEV* part) { return isa<SCEVUDivExpr>(part); };
  return !repeats(value, *chain.outer) && !SCEVExprContains(value, divides) &&
         all_of(parts_in(*chain.outer, value),
                [&](Instruction* part) { return add_constant(chain, dyn_cast<LoadInst>(part)); });
}

// Finds the part of the address that differs between iterations of the outer loop.
bool ChainFinder::split(Chain& chain) const {
  for (Instruction* part : parts_in(*chain.outer, chain.first)) {
    auto* const load = dyn_cast<LoadInst>(part);
    if (add_constant(chain, load)) continue;
    const bool goes_round = isa<PHINode>(part) && part->getParent() == chain.outer->getHeader();
    if ((load == nullptr && !goes_round) || chain.begin != nullptr) return false;
    chain.begin = part;
  }
  return true;
}

// Whether each test between the outer and the inner loop is one that `accepts` accepts: predicate,
// left, right.
template <class Accepts>
bool ChainFinder::has_guards(const Loop& inner, const Loop& outer, Accepts accepts) const {
  const BasicBlock* block = inner.getLoopPreheader();
  while (!ranges_.dominators().dominates(block, outer.getLoopLatch())) {
    const auto [branch, arm] = arm_of(block);
    if (branch == nullptr || !outer.contains(branch)) return false;
    const auto* test = dyn_cast<ICmpInst>(branch->getCondition());
    if (test == nullptr || !evolution_.isSCEVable(test->getOperand(0)->getType())) return false;
    const auto predicate =
        arm == branch->getSuccessor(0) ? test->getPredicate() : test->getInversePredicate();
    if (!accepts(predicate, evolution_.getSCEV(test->getOperand(0)),
                 evolution_.getSCEV(test->getOperand(1))))
      return false;
    block = branch->getParent();
  }
  return true;
}

bool ChainFinder::chain_of_loads(Chain& chain, const Loop& inner) const {
  const Loop& outer = *chain.outer;
  const SCEV* begin = evolution_.getSCEV(chain.begin);
  const auto address_of = [&](LoadInst* load) {
    return affine_in(
        outer, Unwrapped(evolution_, chain).visit(evolution_.getSCEV(load->getPointerOperand())));
  };
  if (auto* const load = dyn_cast<LoadInst>(chain.begin)) {
    const auto* address = address_of(load);
    if (address == nullptr || !load->isSimple() ||
        !ranges_.dominators().dominates(load->getParent(), outer.getLoopLatch()))
      return false;
    chain.first_begin = address->getStart();
    for (Instruction* part : parts_in(outer, chain.times))
      if (auto* const end = dyn_cast<LoadInst>(part);
          end != nullptr && end->getType() == load->getType() &&
          address_of(end) == address->getPostIncExpr(evolution_))
        chain.end_load = end;
    if (chain.end_load == nullptr || changes_in(outer, *load, evolution_, aliases_) != nullptr)
      return false;
    chain.end = evolution_.getSCEV(chain.end_load);
  } else {
    chain.end = evolution_.getSCEV(
        cast<PHINode>(chain.begin)->getIncomingValueForBlock(outer.getLoopLatch()));
    const std::set<Instruction*> parts = parts_in(outer, chain.end);
    chain.end_load = parts.size() == 1 ? dyn_cast<LoadInst>(*parts.begin()) : nullptr;
  }
  LoadInst* const end = chain.end_load;
  if (end == nullptr || !end->isSimple() ||
      !ranges_.dominators().dominates(end->getParent(), outer.getLoopLatch()) ||
      changes_in(outer, *end, evolution_, aliases_) != nullptr)
    return false;
  const auto* address = address_of(end);
  if (address == nullptr) return false;
  chain.last_end = address->evaluateAtIteration(
      evolution_.getMinusSCEV(chain.count, evolution_.getOne(chain.count->getType())), evolution_);
  const auto forms = forms_of(begin, chain.end, evolution_);
  const auto length =
      find_if(forms, [&](const Ends& ends) { return is_length(chain.times, ends, evolution_); });
  if (length == forms.end()) return false;
  chain.is_signed = length->is_signed;
  // Without a test, an empty row would be entered, too.
  if (ranges_.dominators().dominates(inner.getLoopPreheader(), outer.getLoopLatch())) return false;
  return has_guards(inner, outer, [&](auto predicate, const SCEV* left, const SCEV* right) {
    return any_of(forms, [&](const Ends& ends) {
      return is_not_empty(predicate, left, right, ends, evolution_);
    });
  });
}

bool ChainFinder::chain_of_equals(Chain& chain, const Loop& inner, std::uint64_t step) const {
  // A sum of constants and one affine part.
  const SCEV* affine = chain.first;
  if (const auto* sum = dyn_cast<SCEVAddExpr>(affine)) {
    const auto found = find_if(sum->operands(), [&](const SCEV* term) {
      return affine_in(*chain.outer, term) != nullptr;
    });
    if (found == sum->operands().end()) return false;
    for (const SCEV* term : sum->operands())
      if (term != *found && !is_constant(chain, term)) return false;
    affine = *found;
  }
  const auto* row = affine_in(*chain.outer, affine);
  if (row == nullptr || !evolution_.isLoopInvariant(chain.times, chain.outer)) return false;
  Type* i64 = Type::getInt64Ty(evolution_.getContext());
  if (evolution_.getTruncateOrSignExtend(row->getStepRecurrence(evolution_), i64) !=
      evolution_.getMulExpr(evolution_.getConstant(i64, step), chain.times))
    return false;
  // The row of iteration i begins at x and ends at y, at a distance that is constant and positive.
  return has_guards(inner, *chain.outer, [&](auto predicate, const SCEV* x, const SCEV* y) {
    if (ICmpInst::isGT(predicate))
      std::swap(x, y);
    else if (!ICmpInst::isLT(predicate))
      return false;
    const auto* distance = dyn_cast<SCEVConstant>(evolution_.getMinusSCEV(y, x));
    return distance != nullptr && distance->getAPInt().isStrictlyPositive();
  });
}

std::optional<Chain> ChainFinder::find(const Loop& inner, const Range& row, const LoadInst& index) {
  Chain chain;
  chain.outer = inner.getParentLoop();
  if (chain.outer == nullptr) return {};
  const BasicBlock* preheader = chain.outer->getLoopPreheader();
  BasicBlock* const latch = chain.outer->getLoopLatch();
  if (preheader == nullptr || latch == nullptr || chain.outer->getExitingBlock() != latch ||
      inner.getLoopPreheader() == nullptr || !ranges_.is_quiet(*chain.outer) ||
      changes_in(*chain.outer, index, evolution_, aliases_) != nullptr)
    return {};
  chain.before = const_cast<Instruction*>(preheader->getTerminator());
  chain.count = ranges_.executions(latch, *chain.outer);
  chain.first = row.address;
  chain.times = row.dimensions.front().count;
  if (chain.count == nullptr || !split(chain)) return {};
  const auto step = cast<SCEVConstant>(row.dimensions.front().stride)->getAPInt().getZExtValue();
  if (chain.begin != nullptr ? repeats(chain.first, *chain.outer) || !chain_of_loads(chain, inner)
                             : !chain_of_equals(chain, inner, step))
    return {};
  SCEVExpander expander(evolution_, preheader->getModule()->getDataLayout(), "pf");
  for (const SCEV* value : {chain.count, chain.first_begin, chain.last_end,
                            chain.begin == nullptr ? chain.times : nullptr})
    if (value != nullptr && !expander.isSafeToExpandAt(value, chain.before)) return {};
  for (const auto& [value, bits] : chain.fitting)
    if (!expander.isSafeToExpandAt(value, chain.before)) return {};
  return chain;
}

// Adds the begin of the first row to `values`.
Value* ChainFinder::times_of(const Chain& chain, SCEVExpander& expander,
                             ValueToSCEVMapTy& values) const {
  IRBuilder<> builder(chain.before);
  Type* i64 = builder.getInt64Ty();
  if (chain.begin == nullptr)
    return expander.expandCodeFor(evolution_.getMulExpr(chain.times, chain.count), i64,
                                  chain.before);
  const auto load = [&](Instruction* like, const SCEV* address) {
    return builder.CreateAlignedLoad(
        like->getType(), expander.expandCodeFor(address, address->getType(), chain.before),
        cast<LoadInst>(like)->getAlign());
  };
  Value* const begin =
      chain.first_begin != nullptr
          ? load(chain.begin, chain.first_begin)
          : cast<PHINode>(chain.begin)->getIncomingValueForBlock(chain.before->getParent());
  ValueToSCEVMapTy ends{{chain.end_load, evolution_.getSCEV(load(chain.end_load, chain.last_end))}};
  const SCEV* last = FirstIteration(evolution_, *chain.outer, ends).visit(chain.end);
  Value* end = expander.expandCodeFor(last, last->getType(), chain.before);
  values[chain.begin] = evolution_.getSCEV(begin);
  const auto wide = [&](Value* value) {
    return chain.is_signed ? builder.CreateSExtOrTrunc(value, i64)
                           : builder.CreateZExtOrTrunc(value, i64);
  };
  Value* times = builder.CreateSub(wide(end), wide(begin));
  Value* zero = ConstantInt::get(i64, 0);
  Value* holds = builder.CreateICmpSGT(times, zero);
  for (const auto& [last, bits] : chain.fitting) {
    Value* value = expander.expandCodeFor(last, i64, chain.before);
    Value* narrow = builder.CreateTrunc(value, builder.getIntNTy(bits));
    holds = builder.CreateAnd(holds, builder.CreateICmpEQ(builder.CreateSExt(narrow, i64), value));
  }
  return builder.CreateSelect(holds, times, zero);
}

ChainFinder::Expanded ChainFinder::expand(const Chain& chain, const std::vector<const SCEV*>& bases,
                                          SCEVExpander& expander) const {
  ValueToSCEVMapTy values;
  Expanded made;
  made.times = times_of(chain, expander, values);
  Instruction* at = chain.before;
  if (!chain.constants.empty()) {
    DomTreeUpdater updater(ranges_.dominators(), DomTreeUpdater::UpdateStrategy::Eager);
    Value* some = IRBuilder<>(at).CreateIsNotNull(made.times);
    at = SplitBlockAndInsertIfThen(some, chain.before, false, nullptr, &updater, &ranges_.loops());
    for (LoadInst* constant : chain.constants) {
      const SCEV* address = FirstIteration(evolution_, *chain.outer, values)
                                .visit(evolution_.getSCEV(constant->getPointerOperand()));
      Value* from = expander.expandCodeFor(address, address->getType(), at);
      values[constant] = evolution_.getSCEV(
          IRBuilder<>(at).CreateAlignedLoad(constant->getType(), from, constant->getAlign()));
    }
  }
  const auto value_of = [&](const SCEV* in_loop) -> Value* {
    const SCEV* value = FirstIteration(evolution_, *chain.outer, values).visit(in_loop);
    Value* found = expander.expandCodeFor(value, value->getType(), at);
    if (at == chain.before) return found;
    PHINode* phi = PHINode::Create(found->getType(), 2, "");
    phi->insertInto(chain.before->getParent(), chain.before->getParent()->begin());
    for (BasicBlock* from : predecessors(chain.before->getParent()))
      phi->addIncoming(from == at->getParent() ? found : Constant::getNullValue(found->getType()),
                       from);
    return phi;
  };
  made.first = value_of(chain.first);
  for (const SCEV* base : bases) made.bases.push_back(value_of(base));
  return made;
}

}  // namespace photofinish::compiler
