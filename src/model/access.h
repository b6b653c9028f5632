// An access record: one access to the memory of one rank (docs/internals/one-sided-races.md).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/call.h"
#include "model/element.h"
#include "model/footprint.h"
#include "model/ids.h"

namespace photofinish {

// Timestamps of one rank: its n-th event starts at 2n and returns at 2n+1. The upper bits are the
// task. Only timestamps of one task can be compared.
using Timestamp = std::uint64_t;
inline constexpr Timestamp kNever = ~Timestamp{0};
inline constexpr int kTaskShift = 48;
inline constexpr std::uint32_t kMaxTasks = (1 << (64 - kTaskShift)) - 1;
inline Timestamp timestamp_of(std::uint32_t task, std::uint64_t half) {
  return Timestamp{task} << kTaskShift | half;
}
inline std::uint32_t task_of(Timestamp timestamp) {
  return static_cast<std::uint32_t>(timestamp >> kTaskShift);
}
inline std::uint64_t half_of(Timestamp timestamp) {
  return timestamp & ((Timestamp{1} << kTaskShift) - 1);
}
inline std::uint64_t event_of(Timestamp timestamp) { return half_of(timestamp) / 2; }

// What a task knows of each task of its rank: the first timestamp that it does not know; 0:
// nothing. Null: the rank has one task.
using Knowledge = std::shared_ptr<const std::vector<Timestamp>>;

// Whether an access that ended at `end` is complete at `begin`. Both are timestamps of one rank.
inline bool is_over_before(Timestamp end, Timestamp begin, const Knowledge& known_at_begin) {
  const std::uint32_t task = task_of(end);
  if (task == task_of(begin)) return end < begin;
  return known_at_begin != nullptr && task < known_at_begin->size() &&
         end < (*known_at_begin)[task];
}

// Sync points are numbered from 1, alike on all ranks.
using SyncPoint = std::uint64_t;
inline constexpr SyncPoint kNoSyncPoint = ~SyncPoint{0};

enum class AccessKind : std::uint8_t { Load, Store, Get, Put, Accumulate };

struct Lock {
  Uid win;
  WorldRank target;  // kAnySource: all targets, MPI_Win_lock_all
  bool exclusive = false;
  Timestamp since = 0;  // when it was acquired
  bool operator==(const Lock&) const = default;
};

// Shared by all accesses under the same locks; null: none.
using LockSet = std::shared_ptr<const std::vector<Lock>>;

// The owner's exposure epoch of a target access: the index-th of its kind. Both ranks count alike.
enum class EpochKind : std::uint8_t { None, Fence, Start, Lock };
struct Epoch {
  EpochKind kind = EpochKind::None;
  std::uint64_t index = 0;
  bool operator==(const Epoch&) const = default;
};

// Order of delivery without completion (shmem_fence): of the operations of one rank on one owner in
// one lane, those of a stage are delivered after those of all lower stages. Stage 0: not ordered.
struct Delivery {
  std::uint32_t lane = 0, stage = 0;
  bool operator==(const Delivery&) const = default;
  bool precedes(const Delivery& other) const {
    return lane == other.lane && stage != 0 && stage < other.stage;
  }
};

struct Access {
  WorldRank rank;   // that makes the access
  WorldRank owner;  // of the memory
  AccessKind kind{};
  bool reachable = false;  // own memory that others could reach at the time
  bool pending = false;    // continues while its task does other things
  // An accumulate of one element without a result, when it is first sent: it is an atomic, too
  // (model/atomic.h).
  bool plain_atomic = false;
  ReduceOp op = ReduceOp::None;  // of the accumulate family
  Element element;
  Call call{};
  std::uint32_t part = 0;      // distinguishes the operations that one call starts
  SiteId site;                 // of `rank`
  std::uint64_t site_key = 0;  // identifies the site on every rank
  Timestamp begin = 0;
  Knowledge known;  // at its begin
  Timestamp end = kNever;
  SyncPoint after = 0;              // the last sync point done when it began
  SyncPoint before = kNoSyncPoint;  // the first sync point that started after its end
  Epoch epoch;
  Delivery delivery;
  LockSet locks;
  Uid win;        // null: the rank's own memory, by address
  SiteId opened;  // the call that opened its epoch; null: none
  SiteId closed;  // the call that completed it
  // Addresses; before the owner has translated it: the displacement in the window, and offsets in
  // bytes.
  std::uint64_t displacement = 0;
  Footprint footprint;
  // Identifies an open access of `rank` that is sent again with its end; 0: none.
  std::uint64_t serial = 0;
  std::uint64_t operand = 0, start = 0,
                done = ~std::uint64_t{0};  // for a plain atomic: as in AtomicOp
};

}  // namespace photofinish
