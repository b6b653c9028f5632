// What the ranks of a run read and wrote, without time: the input of the search for a group
// (docs/group.md).
//
// Each rank is a sequence of events. An event is a synchronization, or an access to one cell: bytes
// that all ranks access as a whole. An event precedes the next one of its rank, unless it is
// pending: a pending access (a put) takes effect at any point before event `until`.
//
// Example: rank 0 puts 7 into cell 0 and enters a barrier; rank 1 leaves it and loads 7.
//
//   rank 0: [0] write cell 0 = 7, until 1    [1] release          (a pending put, a barrier)
//   rank 1: [0] acquire                      [1] read cell 0 = 7
//   syncs:  releases {0,[1]}, acquires {1,[0]}, carries no data
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace photofinish::group {

using Cell = std::uint32_t;
inline constexpr Cell kNoCell = ~Cell{0};
inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

struct Event {
  enum class Write : std::uint8_t {
    None,
    Set,  // to `operand`
    Add,  // `operand`, to what is there: an accumulate without a result
    Any,  // an unknown value
  };
  Cell cell = kNoCell;                     // kNoCell: a synchronization
  std::optional<std::int64_t> reads = {};  // the value that it found
  Write write = Write::None;               // after it read: both are one atomic step
  std::int64_t operand = 0;
  // An event of the rank that is not pending; kNone: none. Only for a pending event.
  bool pending = false;
  std::uint32_t until = kNone;
  std::uint32_t after = kNone;  // of a pending event: an earlier pending one that it follows
  bool initial = false;         // the contents before the run: precedes all accesses to the cell
  // When it happened in the run, on a common clock. Only chooses between ranks that would do.
  std::uint64_t time = 0;

  bool writes() const { return write != Write::None; }
};

struct EventId {
  std::uint32_t rank = 0;  // index of the sequence
  std::uint32_t index = 0;
  auto operator<=>(const EventId&) const = default;
};

// All acquires follow all releases, except those of the same rank.
struct Sync {
  std::vector<EventId> releases, acquires;  // events that are not pending
  bool data = false;                        // the acquires receive what the releases sent
};

struct Execution {
  std::vector<std::vector<Event>> ranks;
  std::vector<Sync> syncs;
};

// A part of an execution: how many events of each rank, from its first. kExternal: the rank is not
// in the group.
using Prefix = std::vector<std::uint32_t>;
inline constexpr std::uint32_t kExternal = ~std::uint32_t{0};

inline bool contains(const Prefix& prefix, EventId event) {
  return prefix[event.rank] != kExternal && event.index < prefix[event.rank];
}

}  // namespace photofinish::group
