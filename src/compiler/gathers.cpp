// Rule: an access at base + scale * index qualifies if all of these hold. The loop loads the index
// in every iteration, at evenly spaced addresses that nothing in the loop may write to. The base is
// invariant. The loop has a single exit, at its end, and every instruction in it returns. The
// library can then read the indices in front of the loop, because the loop would read them all.
//
// Accesses whose indices lie at constant distances share one row of indices: the corners of an
// element, or an unrolled loop.
#include "compiler/gathers.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
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

// Why the indices cannot be read in front of the loop.
const char* GatherFinder::changes(const Loop& loop, const LoadInst& index) const {
  // The whole object, in all iterations. Scopes of restrict pointers may hold for one iteration
  // only.
  const auto* object = dyn_cast<SCEVUnknown>(
      evolution_.getPointerBase(evolution_.getSCEV(const_cast<Value*>(index.getPointerOperand()))));
  if (object == nullptr) return "its indices are in memory that is not known";
  AAMDNodes type = index.getAAMetadata();
  type.Scope = type.NoAlias = nullptr;
  const MemoryLocation indices(object->getValue(), LocationSize::beforeOrAfterPointer(), type);
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block) {
      if (!isGuaranteedToTransferExecutionToSuccessor(&instruction))
        return "the loop may not come to its end";
      if (instruction.mayWriteToMemory() && isModSet(aliases_.getModRefInfo(&instruction, indices)))
        return "its indices may change in the loop";
    }
  return nullptr;
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
        return known ? changes(around, *access->index) : "its addresses are not evenly spaced";
      });
  if (!range || range->dimensions.size() != 1) return {};
  const auto& [times, stride] = range->dimensions.front();
  const auto* step = dyn_cast<SCEVConstant>(stride);
  if (step == nullptr || !step->getAPInt().isStrictlyPositive() || !step->getAPInt().isIntN(31))
    return {};

  std::int64_t offset = 0;
  const auto shares = [&](const Row& row) {
    if (row.before != range->before || row.times != times ||
        row.step != step->getAPInt().getZExtValue() || row.bytes != bytes ||
        row.is_signed != access->is_signed)
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
    row = rows_.insert(row, {range->before,
                             range->address,
                             times,
                             step->getAPInt().getZExtValue(),
                             bytes,
                             access->is_signed,
                             {}});
  }
  row->accesses.push_back({offset, access->base, access->scale, piece});
  return Found{static_cast<std::size_t>(row - rows_.begin()), range->loops};
}

Instrumenter::Gathers GatherFinder::expand(const Row& row, SCEVExpander& expander) const {
  Type* i64 = Type::getInt64Ty(row.before->getContext());
  const std::int64_t lowest =
      std::min_element(row.accesses.begin(), row.accesses.end(), [](const auto& a, const auto& b) {
        return a.offset < b.offset;
      })->offset;
  const SCEV* shift = evolution_.getConstant(i64, static_cast<std::uint64_t>(lowest), true);
  Instrumenter::Gathers made;
  made.before = row.before;
  made.first = expander.expandCodeFor(evolution_.getAddExpr(row.first, shift), row.first->getType(),
                                      row.before);
  made.times = expander.expandCodeFor(row.times, i64, row.before);
  made.step = row.step;
  made.bytes = row.bytes;
  made.is_signed = row.is_signed;
  std::vector<const SCEV*> bases;
  for (const Row::Access& access : row.accesses) {
    const std::uint64_t slot = std::uint64_t{1}
                               << static_cast<std::uint64_t>(access.offset - lowest) / row.bytes;
    made.slots |= slot;
    std::size_t same = 0;
    while (same < made.locations.size() &&
           !(bases[same] == access.base && made.locations[same].scale == access.scale &&
             made.locations[same].bytes == access.piece.bytes &&
             made.locations[same].how == access.piece.how &&
             same_line(made.locations[same].location, access.piece.location)))
      ++same;
    if (same == made.locations.size()) {
      bases.push_back(access.base);
      Value* base = expander.expandCodeFor(access.base, access.base->getType(), row.before);
      made.locations.push_back(
          {base, access.scale, access.piece.bytes, access.piece.how, 0, access.piece.location});
    }
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
