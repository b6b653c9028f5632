// Rule: an access at base + scale * index qualifies if all of these hold. The loop loads the index
// in every iteration, at evenly spaced addresses that nothing in the loop may write to. The base is
// invariant. The loop has a single exit, at its end, and every instruction in it returns. The
// library can then read the indices in front of the loop, because the loop would read them all.
//
// Accesses whose indices lie at constant distances share one row of indices: the corners of an
// element, or an unrolled loop.
#include "compiler/gathers.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace photofinish::compiler {

using namespace llvm;

namespace {

constexpr std::int64_t kFarthest =
    31;  // from the first index found, in both directions: the slots are the bits of 64

}  // namespace

std::optional<GatherFinder::Through> GatherFinder::through(const SCEV* address,
                                                           const Loop& loop) const {
  const auto* sum = dyn_cast<SCEVAddExpr>(address);
  if (sum == nullptr) return {};
  for (const SCEV* term : sum->operands()) {
    Through found;
    const SCEV* index = term;
    if (const auto* product = dyn_cast<SCEVMulExpr>(term)) {
      const auto* scale = dyn_cast<SCEVConstant>(product->getOperand(0));
      if (scale == nullptr || product->getNumOperands() != 2 ||
          !scale->getAPInt().isStrictlyPositive())
        continue;
      found.scale = scale->getAPInt().getZExtValue();
      index = product->getOperand(1);
    }
    if (isa<SCEVSignExtendExpr, SCEVZeroExtendExpr>(index)) {
      found.is_signed = isa<SCEVSignExtendExpr>(index);
      index = cast<SCEVCastExpr>(index)->getOperand();
    }
    const auto* value = dyn_cast<SCEVUnknown>(index);
    found.index = value != nullptr ? dyn_cast<LoadInst>(value->getValue()) : nullptr;
    if (found.index == nullptr || !found.index->isSimple() ||
        !found.index->getType()->isIntegerTy() || !loop.contains(found.index))
      continue;
    const unsigned bits = found.index->getType()->getIntegerBitWidth();
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) continue;
    SmallVector<const SCEV*> rest;
    for (const SCEV* other : sum->operands())
      if (other != term) rest.push_back(other);
    found.base = evolution_.getAddExpr(rest);
    return found;
  }
  return {};
}

std::optional<GatherFinder::Found> GatherFinder::find(const Instrumenter::Piece& piece,
                                                      const SCEV* address, const Loop* loop) {
  const auto access = loop != nullptr ? through(address, *loop) : std::nullopt;
  if (!access) return {};
  const std::uint64_t bytes = access->index->getType()->getIntegerBitWidth() / 8;
  SCEVExpander expander(evolution_, piece.first->getModule()->getDataLayout(), "pf");
  const auto range = ranges_.find_rows(
      *piece.first->getParent(), evolution_.getSCEV(access->index->getPointerOperand()), bytes,
      [&](const Loop& around) {
        const BasicBlock* preheader = around.getLoopPreheader();
        const bool known = evolution_.isLoopInvariant(access->base, &around) &&
                           preheader != nullptr &&
                           expander.isSafeToExpandAt(access->base, preheader->getTerminator());
        return known ? changes_in(around, *access->index, evolution_, aliases_)
                     : "its addresses are not evenly spaced";
      });
  if (!range || range->dimensions.size() != 1) return {};
  const auto& [times, stride] = range->dimensions.front();
  const auto* step = dyn_cast<SCEVConstant>(stride);
  if (step == nullptr || !step->getAPInt().isStrictlyPositive() || !step->getAPInt().isIntN(31))
    return {};

  std::optional<Chain> chain;
  if (range->loops == 1) {
    chain = chains_.find(*loop, *range, *access->index);
    if (chain && !chains_.is_constant(*chain, access->base)) chain.reset();
  }
  Instruction* const before = chain ? chain->before : range->before;
  std::int64_t offset = 0;
  const auto shares = [&](const Row& row) {
    if (row.before != before || row.times != times || row.step != step->getAPInt().getZExtValue() ||
        row.bytes != bytes || row.is_signed != access->is_signed)
      return false;
    const auto* distance =
        dyn_cast<SCEVConstant>(evolution_.getMinusSCEV(range->address, row.first));
    if (distance == nullptr) return false;
    offset = distance->getAPInt().getSExtValue();
    return offset % static_cast<std::int64_t>(bytes) == 0 &&
           std::abs(offset) <= kFarthest * static_cast<std::int64_t>(bytes);
  };
  auto row = std::find_if(rows_.begin(), rows_.end(), shares);
  if (row == rows_.end()) {
    offset = 0;
    row = rows_.insert(row, {before,
                             range->address,
                             times,
                             step->getAPInt().getZExtValue(),
                             bytes,
                             access->is_signed,
                             chain,
                             {}});
  } else if (chain) {
    for (LoadInst* constant : chain->constants)
      if (!is_contained(row->chain->constants, constant)) row->chain->constants.push_back(constant);
  }
  row->accesses.push_back({offset, access->base, access->scale, piece});
  return Found{static_cast<std::size_t>(row - rows_.begin()), range->loops + (chain ? 1 : 0),
               chain.has_value()};
}

Instrumenter::Gathers GatherFinder::expand(const Row& row, SCEVExpander& expander) const {
  Type* i64 = Type::getInt64Ty(row.before->getContext());
  const std::int64_t lowest =
      std::min_element(row.accesses.begin(), row.accesses.end(), [](const auto& a, const auto& b) {
        return a.offset < b.offset;
      })->offset;
  const SCEV* shift = evolution_.getConstant(i64, static_cast<std::uint64_t>(lowest), true);
  const SCEV* first = evolution_.getAddExpr(row.first, shift);
  std::vector<const SCEV*> bases;
  for (const Row::Access& access : row.accesses)
    if (!is_contained(bases, access.base)) bases.push_back(access.base);
  Instrumenter::Gathers made;
  made.before = row.before;
  std::vector<Value*> base_values;
  if (row.chain) {
    Chain chain = *row.chain;
    chain.first = first;
    ChainFinder::Expanded values = chains_.expand(chain, bases, expander);
    made.first = values.first;
    made.times = values.times;
    base_values = std::move(values.bases);
  } else {
    made.first = expander.expandCodeFor(first, first->getType(), row.before);
    made.times = expander.expandCodeFor(row.times, i64, row.before);
    for (const SCEV* base : bases)
      base_values.push_back(expander.expandCodeFor(base, base->getType(), row.before));
  }
  made.step = row.step;
  made.bytes = row.bytes;
  made.is_signed = row.is_signed;
  for (const Row::Access& access : row.accesses) {
    const std::uint64_t slot = std::uint64_t{1}
                               << static_cast<std::uint64_t>(access.offset - lowest) / row.bytes;
    made.slots |= slot;
    Value* const base =
        base_values[static_cast<std::size_t>(llvm::find(bases, access.base) - bases.begin())];
    std::size_t same = 0;
    while (same < made.locations.size() &&
           !(made.locations[same].base == base && made.locations[same].scale == access.scale &&
             made.locations[same].bytes == access.piece.bytes &&
             made.locations[same].how == access.piece.how &&
             same_line(made.locations[same].location, access.piece.location)))
      ++same;
    if (same == made.locations.size())
      made.locations.push_back(
          {base, access.scale, access.piece.bytes, access.piece.how, 0, access.piece.location});
    made.locations[same].slots |= slot;
  }
  return made;
}

std::vector<Instrumenter::Gathers> GatherFinder::expand(SCEVExpander& expander) const {
  std::vector<Instrumenter::Gathers> all;
  for (const Row& row : rows_) all.push_back(expand(row, expander));
  return all;
}

}  // namespace photofinish::compiler
