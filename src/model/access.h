// One access to one rank's memory: who, which bytes, how, and when at both ends
// (docs/internals/one-sided-races.md).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/call.h"
#include "model/element.h"
#include "model/footprint.h"
#include "model/ids.h"

namespace photofinish {

// Timestamps of one rank: its n-th event starts at 2n and returns at 2n+1; the upper bits say which
// of its tasks that was. Timestamps of one task can be compared, those of two tasks cannot.
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

// What a task knows of the tasks of its rank, by task: the first timestamp that it does not know;
// 0: nothing. Null: the rank has one task.
using Knowledge = std::shared_ptr<const std::vector<Timestamp>>;

// Of two timestamps of one rank: whether what ended at one is over when the other begins.
inline bool is_over_before(Timestamp end, Timestamp begin, const Knowledge& known_at_begin) {
  const std::uint32_t task = task_of(end);
  if (task == task_of(begin)) return end < begin;
  return known_at_begin != nullptr && task < known_at_begin->size() &&
         end < (*known_at_begin)[task];
}

// Sync points are counted from 1, the same on all ranks.
using SyncPoint = std::uint64_t;
inline constexpr SyncPoint kNoSyncPoint = ~SyncPoint{0};

enum class AccessKind : std::uint8_t { Load, Store, Get, Put, Accumulate };

struct Lock {
  Uid win;
  WorldRank target;  // kAnySource: all of them, MPI_Win_lock_all
  bool exclusive = false;
  Timestamp since = 0;  // when it was taken
  bool operator==(const Lock&) const = default;
};

// One list for all accesses that were made under the same locks; null: none.
using LockSet = std::shared_ptr<const std::vector<Lock>>;

// Which exposure epoch of the owner a target access lies in: the index-th of its kind, counted as
// the two ranks do.
enum class EpochKind : std::uint8_t { None, Fence, Start, Lock };
struct Epoch {
  EpochKind kind = EpochKind::None;
  std::uint64_t index = 0;
  bool operator==(const Epoch&) const = default;
};

struct Access {
  WorldRank rank;   // who
  WorldRank owner;  // whose memory
  AccessKind kind{};
  bool reachable = false;  // of one's own memory: others could reach some of it at the time
  bool pending = false;    // it goes on while its task does something else
  // An accumulate of one element that brings nothing back, the first time it is handed out: it is
  // an atomic, too (model/atomic.h).
  bool plain_atomic = false;
  ReduceOp op = ReduceOp::None;  // of the accumulate family
  Element element;
  Call call{};
  std::uint32_t part = 0;      // tells apart the operations that one call starts
  SiteId site;                 // of `rank`
  std::uint64_t site_key = 0;  // the same place on every rank
  Timestamp begin = 0;
  Knowledge known;  // when it begins
  Timestamp end = kNever;
  SyncPoint after = 0;              // the last sync point that was complete when it began
  SyncPoint before = kNoSyncPoint;  // the first sync point that started after its end
  Epoch epoch;
  LockSet locks;
  Uid win;        // null: the rank's own memory, by address
  SiteId opened;  // the call that opened its epoch; null if there is none
  SiteId closed;  // the call that completed it
  // By address; before the owner has seen it: by displacement in the window, plus offsets in bytes.
  std::uint64_t displacement = 0;
  Footprint footprint;
  std::uint64_t serial =
      0;  // tells an open access of `rank` that is sent again, with its end, from a new one
  std::uint64_t operand = 0, start = 0,
                done = ~std::uint64_t{0};  // of a plain atomic: as an AtomicOp has them
};

}  // namespace photofinish
