// The rendezvous table: tasks that reach an access site of a race enter it, and meet there
// (docs/internals/confirm.md).
//
// Rule: a race is seen when a task reaches one access site while the table holds an entry of
// another task for the other site, both access common bytes of one owner, and no common lock
// protects them. An entry exists while its task waits at the site or, for a pending operation,
// until the operation is complete. Invariant: at most one meeting is active. If one instance of the
// race is steered, the first meeting stays, and nobody waits after it except its second party, for
// the first. If every instance is steered, a meeting is closed once its second party may proceed,
// and the next may begin.
//
// Example, side 0 first: rank 1 reaches side 1 and enters {rank 1, side 1, Waiting}. Rank 0 reaches
// side 0, finds this entry and gets Turn::First; rank 1 gets Turn::Second, waits until rank 0 is
// done, and closes the meeting.
//
// All of it is plain data that processes share, as memory or by messages (meeting_protocol.h). The
// caller of these functions has exclusive access.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/data_map.h"

namespace photofinish {

inline constexpr std::uint32_t kEntries = 64, kPieces = 8, kDimensions = 3, kLocks = 4;

// A box without memory of its own.
struct Piece {
  std::int64_t offset, length;
  std::uint32_t dimensions, reserved;
  Dimension dimension[kDimensions];
};

// A window lock that its task holds.
struct HeldLock {
  std::uint64_t win;
  std::int32_t target;  // kAnySource: all of them
  std::uint32_t exclusive;
};

enum class EntryState : std::uint32_t { Free, Waiting, Pending };

struct TableEntry {
  EntryState state;
  std::uint32_t sides;  // bit 0, bit 1; both where the two sides are one site
  std::int32_t rank, owner;
  std::uint64_t task;
  std::uint64_t arrival[2];  // how often the rank has reached each of its sides, from 1
  std::uint32_t
      steerable;           // Pending: it was completed early, or is deferred, as the order requires
  std::uint32_t meetings;  // Pending: how often another task met it
  std::uint32_t pieces, locks;
  Piece piece[kPieces];
  HeldLock lock[kLocks];
};

struct Meeting {
  std::uint32_t met;
  std::uint32_t first_done, forced;
  std::uint32_t second_waits;  // the second party is a task that waits, not a pending operation
  struct Party {
    std::int32_t rank;
    std::uint32_t side;
    std::uint64_t task, arrival;
  } first, second;
};

struct RendezvousTable : Meeting {
  std::uint32_t taken;    // by the process that reads or changes it
  std::uint32_t repeats;  // every instance is steered: a meeting may follow another
  std::uint64_t number;   // of the active or last meeting
  TableEntry entries[kEntries];
};

// The file that ranks on one node share: a table for each finding, then one word for each rank, odd
// while it waits and after MPI_Finalize, then the process of each rank.
inline constexpr std::uint64_t kFinalizedWord = std::uint64_t{1} << 63;
constexpr std::size_t words_offset(std::size_t findings) {
  return (sizeof(RendezvousTable) * findings + 63) / 64 * 64;
}

enum class Turn : std::uint32_t {
  Proceed,  // nothing to wait for
  Entered,  // no other task is there: it is in the table
  First,    // it met another task, and goes first
  Second,
};

// Adds a box; false if it does not fit: then these bytes cannot meet anybody's.
bool add_piece(TableEntry& entry, const Strided& strided);

// A task reaches an access site. `first_side` goes first; where both sides are one site, 0 means
// the lower rank. If there is no entry for the other side and `enter`, it is added in `slot`.
Turn arrive(RendezvousTable& table, const TableEntry& mine, int first_side, bool enter,
            std::uint32_t& slot);
// A waiting task tries again, after a meeting of others was closed.
Turn arrive_again(RendezvousTable& table, int first_side, std::uint32_t slot);
// The turn of a task that is or was in the table: First and Second if it met another task. Else
// Entered, or Proceed if others met and no meeting follows.
Turn turn_of(const RendezvousTable& table, std::int32_t rank, std::uint64_t task);
// The entry of a task in its slot; null if it met another task and the slot may be used again.
TableEntry* own_entry(RendezvousTable& table, std::uint32_t slot, std::int32_t rank,
                      std::uint64_t task);
// The same as turn_of, of this entry alone if every instance is steered: a task may have others. A
// pending operation that was met is Second.
Turn turn_at(RendezvousTable& table, std::uint32_t slot, std::int32_t rank, std::uint64_t task);
// Ends the meeting of this number, if it is still active and others may follow. True if it did.
bool close_meeting(RendezvousTable& table, std::uint64_t number);

}  // namespace photofinish
