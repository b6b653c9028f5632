#include "compiler/ahead.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <map>

#include "compiler/copies.h"
#include "photofinish/runtime_abi.h"

namespace photofinish::compiler {

using namespace llvm;

namespace {

bool is_to_itself(const Loop& loop) {
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block) {
      if (!instruction.mayReadOrWriteMemory() || isa<MemIntrinsic>(instruction)) continue;
      if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
          intrinsic != nullptr && intrinsic->isAssumeLikeIntrinsic())
        continue;
      const auto* load = dyn_cast<LoadInst>(&instruction);
      const auto* store = dyn_cast<StoreInst>(&instruction);
      if ((load == nullptr || !load->isSimple()) && (store == nullptr || !store->isSimple()))
        return false;
    }
  return true;
}

// The duration of a call is unknown.
bool calls_anything(const Loop& loop) {
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block)
      if (isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction)) return true;
  return false;
}

// Extends a range by an adjacent one.
bool join(Range& range, const Range& other, ScalarEvolution& evolution) {
  const auto *bytes = dyn_cast<SCEVConstant>(range.bytes),
             *other_bytes = dyn_cast<SCEVConstant>(other.bytes);
  if (bytes == nullptr || other_bytes == nullptr || range.conditions != other.conditions ||
      range.varying != other.varying || range.dimensions.size() != other.dimensions.size())
    return false;
  for (std::size_t i = 0; i < range.dimensions.size(); ++i)
    if (range.dimensions[i].count != other.dimensions[i].count ||
        range.dimensions[i].stride != other.dimensions[i].stride)
      return false;
  const auto* distance =
      dyn_cast<SCEVConstant>(evolution.getMinusSCEV(other.address, range.address));
  if (distance == nullptr) return false;
  const std::int64_t begin = distance->getAPInt().getSExtValue(),
                     end = begin + other_bytes->getAPInt().getSExtValue(),
                     old_end = bytes->getAPInt().getSExtValue();
  if (begin > old_end || end < 0) return false;
  if (begin < 0) range.address = other.address;
  range.bytes = evolution.getConstant(
      bytes->getType(),
      static_cast<std::uint64_t>(std::max(end, old_end) - std::min<std::int64_t>(begin, 0)));
  return true;
}

// Merges rows without gaps into one.
void close_up(Range& range, ScalarEvolution& evolution) {
  while (!range.dimensions.empty() && range.dimensions.front().stride == range.bytes) {
    range.bytes = evolution.getMulExpr(range.bytes, range.dimensions.front().count);
    range.dimensions.erase(range.dimensions.begin());
  }
}

// Whether the ranges are equal except for one test, which is true for one and false for the other
// in every iteration.
bool complete_each_other(const Range& one, const Range& other) {
  if (one.address != other.address || one.bytes != other.bytes ||
      one.dimensions.size() != other.dimensions.size())
    return false;
  for (std::size_t i = 0; i < one.dimensions.size(); ++i)
    if (one.dimensions[i].count != other.dimensions[i].count ||
        one.dimensions[i].stride != other.dimensions[i].stride)
      return false;
  if (one.varying.size() != 1 || other.varying.size() != 1) return false;
  return one.varying.front().first == other.varying.front().first &&
         one.varying.front().second != other.varying.front().second;
}

class Finder {
 public:
  Finder(const std::vector<MemoryAccess>& accesses, LoopInfo& loops, ScalarEvolution& evolution,
         RangeFinder& finder, SCEVExpander& expander)
      : accesses_(accesses),
        loops_(loops),
        evolution_(evolution),
        finder_(finder),
        expander_(expander) {}

  void check_at(Loop& loop) {
    std::vector<MemoryAccess> inside;
    copy_if(accesses_, std::back_inserter(inside),
            [&](const MemoryAccess& access) { return loop.contains(access.instruction); });
    if (inside.empty()) return;
    const bool fits =
        can_be_copied(loop) && is_to_itself(loop) && all_of(inside, [](const MemoryAccess& access) {
          return (isa<LoadInst>(access.instruction) || isa<StoreInst>(access.instruction)) &&
                 access.bytes != 0 && access.bytes <= PHOTOFINISH_SPAN;
        });
    if (!fits || !take(loop, inside))
      for (Loop* inner : loop) check_at(*inner);
  }
  std::vector<Ahead> found;

 private:
  struct Together {
    Range range;
    bool writes;
    unsigned unit;
    std::vector<MemoryAccess> accesses;
  };

  void add(const MemoryAccess& access, const Range& range, std::vector<Together>& all) {
    const unsigned unit =
        static_cast<unsigned>(std::min(std::countr_zero(access.bytes), PHOTOFINISH_MAX_UNIT));
    const auto next_to = find_if(all, [&](Together& one) {
      return one.writes == access.writes && join(one.range, range, evolution_);
    });
    if (next_to == all.end()) return all.push_back({range, access.writes, unit, {access}});
    next_to->accesses.push_back(access);
    next_to->unit = std::min(next_to->unit, unit);
  }

  // Vectorization leaves several versions of a loop, and a test in front of it selects one.
  // Together the versions make the access in every iteration.
  void join_versions(std::vector<Together> versions, std::vector<Together>& ranges,
                     std::vector<MemoryAccess>& others) {
    for (Together& one : versions) close_up(one.range, evolution_);
    for (std::size_t i = 0; i < versions.size(); ++i) {
      Together& one = versions[i];
      if (one.accesses.empty()) continue;
      const auto other = std::find_if(versions.begin() + static_cast<std::ptrdiff_t>(i),
                                      versions.end(), [&](const Together& two) {
                                        return !two.accesses.empty() && one.writes == two.writes &&
                                               complete_each_other(one.range, two.range);
                                      });
      if (other == versions.end()) {
        append_range(others, one.accesses);
        continue;
      }
      append_range(one.accesses, other->accesses);
      other->accesses.clear();
      one.unit = std::min(one.unit, other->unit);
      one.range.varying.clear();
      ranges.push_back(one);
    }
  }

  bool take(Loop& loop, const std::vector<MemoryAccess>& inside) {
    std::vector<Together> ranges, versions;
    std::vector<MemoryAccess> others;
    bool varies = false;
    for (const MemoryAccess& access : inside) {
      if (const auto range = range_of(access, loop))
        add(access, *range, ranges);
      else if (const auto version = range_of(access, loop, true))
        add(access, *version, versions);
      else
        others.push_back(access);
    }
    join_versions(std::move(versions), ranges, others);
    for (const Together& one : ranges) {
      const auto* bytes = dyn_cast<SCEVConstant>(one.range.bytes);
      varies |= !one.range.dimensions.empty() || bytes == nullptr ||
                bytes->getAPInt() != one.accesses.front().bytes;
    }
    // If all accesses are evenly spaced in the inner loops, the inner loops are the better
    // candidates: their ranges are checked completely.
    const auto is_irregular = [&](const MemoryAccess& access) {
      const Loop* innermost = loops_.getLoopFor(access.instruction->getParent());
      const SCEV* address = evolution_.getSCEV(access.address);
      const auto* step = dyn_cast<SCEVAddRecExpr>(address);
      return !evolution_.isLoopInvariant(address, innermost) &&
             (step == nullptr || step->getLoop() != innermost) && base_of(access, loop) != nullptr;
    };
    if (!others.empty() && !loop.isInnermost() &&
        (is_endless(loop) || none_of(others, is_irregular)))
      return false;
    varies |= any_of(others, [&](const MemoryAccess& access) {
      return base_of(access, loop) != nullptr &&
             !evolution_.isLoopInvariant(evolution_.getSCEV(access.address), &loop);
    });
    if (!varies) return false;  // a loop that repeats one access at one address may be a spin loop
    SmallVector<BasicBlock*> endless;
    add_endless(loop, endless);
    if (!endless.empty() && calls_anything(loop))
      return false;  // too much time could pass between two checks
    Ahead& ahead = found.emplace_back(Ahead{&loop, {}, {}, {}, std::move(endless)});
    for (const auto& [range, writes, unit, accesses] : ranges) {
      const std::uint64_t how = (writes ? PHOTOFINISH_WRITES : 0) | std::uint64_t{unit}
                                                                        << PHOTOFINISH_UNIT_BITS;
      Ahead::Spaced& spaced = ahead.spaced.emplace_back(Ahead::Spaced{
          {},
          Instrumenter::expand(range, expander_, how, location_of(*accesses.front().instruction))});
      for (const MemoryAccess& access : accesses) spaced.instructions.push_back(access.instruction);
    }
    std::map<Value*, Value*> bases;
    for (const MemoryAccess& access : others) {
      Value* base = base_of(access, loop);
      if (base == nullptr) {
        ahead.unknown.push_back(access);
        continue;
      }
      // This use in front of the loop stays valid when the loop that defines the value is changed.
      Value*& used = bases[base];
      if (used == nullptr)
        used = IRBuilder<>(loop.getLoopPreheader()->getTerminator()).CreateFreeze(base);
      base = used;
      const auto same = find_if(ahead.behind, [&](const Ahead::Behind& one) {
        return one.base == base && one.writes == access.writes && one.bytes == access.bytes;
      });
      if (same != ahead.behind.end())
        same->accesses.push_back(access);
      else
        ahead.behind.push_back({base, access.writes, access.bytes, {access}});
    }
    return true;
  }

  bool is_endless(const Loop& loop) {
    return isa<SCEVCouldNotCompute>(evolution_.getBackedgeTakenCount(&loop));
  }
  void add_endless(Loop& loop, SmallVector<BasicBlock*>& latches) {
    if (is_endless(loop)) loop.getLoopLatches(latches);
    for (Loop* inner : loop) add_endless(*inner, latches);
  }

  std::optional<Range> range_of(const MemoryAccess& access, const Loop& loop,
                                bool varying = false) {
    return finder_.find_all_of(*access.instruction->getParent(), evolution_.getSCEV(access.address),
                               access.bytes, loop, varying);
  }

  Value* base_of(const MemoryAccess& access, const Loop& loop) {
    const auto* base =
        dyn_cast<SCEVUnknown>(evolution_.getPointerBase(evolution_.getSCEV(access.address)));
    return base != nullptr && base->getType()->isPointerTy() &&
                   loop.isLoopInvariant(base->getValue())
               ? base->getValue()
               : nullptr;
  }

  const std::vector<MemoryAccess>& accesses_;
  LoopInfo& loops_;
  ScalarEvolution& evolution_;
  RangeFinder& finder_;
  SCEVExpander& expander_;
};

}  // namespace

std::vector<Ahead> find_ahead(const std::vector<MemoryAccess>& accesses, LoopInfo& loops,
                              ScalarEvolution& evolution, RangeFinder& finder,
                              SCEVExpander& expander) {
  Finder search(accesses, loops, evolution, finder, expander);
  for (Loop* loop : loops) search.check_at(*loop);
  return std::move(search.found);
}

void go_ahead(const std::vector<Ahead>& all, LoopInfo& loops, DominatorTree& dominators,
              Instrumenter& instrumenter) {
  // Changes that split blocks come last.
  struct Later {
    MemoryAccess access;
    const Instrumenter::Seen* seen;  // null: a hook for each access
  };
  std::vector<Later> later;
  std::deque<Instrumenter::Seen> pieces;
  std::vector<std::pair<Instruction*, std::vector<Value*>>> rounds;
  for (const Ahead& ahead : all) {
    std::vector<Value*> distances;
    std::vector<const Instrumenter::Seen*> seen;
    ValueToValueMapTy map;
    choose_at_loop(*ahead.loop, loops, dominators, map, [&](Instruction* before) {
      IRBuilder<> builder(before);
      Value* stays = builder.getFalse();
      for (const auto& [instructions, range] : ahead.spaced) {
        distances.push_back(instrumenter.ahead_of(range, before));
        stays = builder.CreateOr(
            stays, builder.CreateICmpEQ(
                       distances.back(),
                       builder.getInt64(static_cast<std::uint64_t>(PHOTOFINISH_ONE_BY_ONE))));
      }
      for (const auto& [base, writes, bytes, accesses] : ahead.behind)
        seen.push_back(&pieces.emplace_back(instrumenter.seen_behind(base, writes, bytes, before)));
      return stays;
    });
    const auto copied = [&](MemoryAccess access) {
      access.instruction = cast<Instruction>(map.find(access.instruction)->second);
      return access;
    };
    for (std::size_t i = 0; i < ahead.spaced.size(); ++i)
      for (Instruction* instruction : ahead.spaced[i].instructions)
        instrumenter.move_behind(*cast<Instruction>(map.find(instruction)->second), distances[i]);
    for (std::size_t i = 0; i < ahead.behind.size(); ++i)
      for (const MemoryAccess& access : ahead.behind[i].accesses)
        later.push_back({copied(access), seen[i]});
    for (const MemoryAccess& access : ahead.unknown) later.push_back({copied(access), nullptr});
    SmallSetVector<Value*, 4> bases;
    for (const Ahead::Behind& behind : ahead.behind)
      if (!behind.writes) bases.insert(behind.base);
    for (BasicBlock* latch : ahead.endless)
      rounds.emplace_back(cast<BasicBlock>(map.find(latch)->second)->getTerminator(),
                          std::vector(bases.begin(), bases.end()));
  }
  for (const auto& [latch, bases] : rounds) instrumenter.add_check_again(latch, bases);
  for (Later& one : later) {
    if (one.seen != nullptr) instrumenter.move_behind_if_seen(*one.access.instruction, *one.seen);
    instrumenter.add_value(one.access);
  }
}

}  // namespace photofinish::compiler
