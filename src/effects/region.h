// Memory of a rank that other ranks can reach: a window, a symmetric heap, a shared array.
//
// Invariant: all ranks count the exposures of a region alike, so an origin names the owner's epoch
// of an access by its number.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/access.h"
#include "model/memory_model.h"

namespace photofinish {

// A timestamp with its sync point: for an end, the first one that starts after it; for a begin, the
// last one done.
struct Instant {
  WorldRank rank;
  Timestamp timestamp = kNever;
  SyncPoint sync_point = kNoSyncPoint;
  Knowledge known = nullptr;  // for a begin
};

// Between its begin and its end, the owner lets others access the region.
struct Exposure {
  Instant begin, end;  // end.timestamp kNever: still open
};

// The properties of a region, as its owner knows them.
struct RegionTraits {
  Uid uid;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  std::int64_t unit = 1;  // of displacements, in bytes
  const MemoryModel* model = &kProcessMemory;
  AccumulateRules accumulates;
};

// A pending access of an operation: to a buffer, or to the target.
struct Pending {
  Access access;
  std::uint64_t operation = 0;  // number of the operation
  bool at_target = false;
  bool fetches = false;  // so it completes at the target when it completes locally
  bool over = false;
  std::int64_t atomic = 0;  // its number, if it is an atomic that fetches, or on several elements
  std::int64_t elements = 1;
  std::vector<std::int64_t> more_operands;  // after the first
  std::uint64_t compare = 0;                // of a compare-and-swap
};

class Region {
 public:
  explicit Region(const RegionTraits& traits) : traits_(traits) {}

  const RegionTraits& traits() const { return traits_; }
  void change(const RegionTraits& traits) { traits_ = traits; }
  Uid uid() const { return traits_.uid; }

  // The k-th epoch is at k - 1 - forgotten.
  struct Exposures {
    std::deque<Exposure> known;
    std::uint64_t forgotten = 0;
    std::uint64_t mark = 0, old_mark = 0;
    const Exposure* find(std::uint64_t index) const {
      if (index <= forgotten || index - forgotten > known.size()) return nullptr;
      return &known[index - forgotten - 1];
    }
    std::uint64_t count() const { return forgotten + known.size(); }
    // Keeps the epochs that were added since the last call but one.
    void forget() {
      while (forgotten < old_mark && !known.empty() && known.front().end.timestamp != kNever) {
        known.pop_front();
        ++forgotten;
      }
      old_mark = std::exchange(mark, count());
    }
  };
  Exposures to_all;                                    // EpochKind::Fence
  std::unordered_map<WorldRank, Exposures> to_origin;  // EpochKind::Start

  const Exposure* exposure_of(const Access& access) const {
    if (access.epoch.kind == EpochKind::Fence) return to_all.find(access.epoch.index);
    if (access.epoch.kind != EpochKind::Start) return nullptr;
    const auto found = to_origin.find(access.rank);
    return found != to_origin.end() ? found->second.find(access.epoch.index) : nullptr;
  }
  // The access lies in an epoch that the owner has not reached.
  bool awaits_exposure(const Access& access) const {
    if (access.epoch.kind == EpochKind::Fence) return access.epoch.index > to_all.count();
    if (access.epoch.kind != EpochKind::Start) return false;
    const auto found = to_origin.find(access.rank);
    return access.epoch.index > (found != to_origin.end() ? found->second.count() : 0);
  }
  void forget_exposures() {
    to_all.forget();
    for (auto& [origin, exposures] : to_origin) exposures.forget();
  }

 private:
  friend class Timeline;
  // Operations on one target, in program order.
  struct Operations {
    std::vector<Pending> pending;
    std::size_t over = 0;        // complete ones that are not erased yet, behind `settled`
    std::size_t settled = 0;     // the first ones: only remote completion changes them
    bool by_other_task = false;  // a flush completed some that another task started
  };
  Operations& on(WorldRank target) {
    if (last_.second == nullptr || last_.first != target) last_ = {target, &operations_[target]};
    return *last_.second;
  }
  std::unordered_map<WorldRank, Operations> operations_;
  std::pair<WorldRank, Operations*> last_;  // cache of on()
  RegionTraits traits_;
};

}  // namespace photofinish
