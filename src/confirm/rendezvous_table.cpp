#include "confirm/rendezvous_table.h"

#include <algorithm>

#include "memory/overlap.h"
#include "model/ids.h"

namespace photofinish {
namespace {

Strided strided_of(const Piece& piece) {
  return {piece.offset,
          piece.length,
          {piece.dimension, piece.dimension + std::min(piece.dimensions, kDimensions)}};
}

bool share_bytes(const TableEntry& a, const TableEntry& b) {
  for (std::uint32_t i = 0; i < std::min(a.pieces, kPieces); ++i)
    for (std::uint32_t j = 0; j < std::min(b.pieces, kPieces); ++j)
      if (overlap(strided_of(a.piece[i]), strided_of(b.piece[j]))) return true;
  return false;
}

// As in detect/rules.h: an exclusive lock excludes every other holder of the same lock.
bool lock_protected(const TableEntry& a, const TableEntry& b) {
  if (a.rank == b.rank) return false;
  for (std::uint32_t i = 0; i < std::min(a.locks, kLocks); ++i)
    for (std::uint32_t j = 0; j < std::min(b.locks, kLocks); ++j) {
      const HeldLock &one = a.lock[i], &other = b.lock[j];
      if (one.win != other.win || (one.exclusive == 0 && other.exclusive == 0)) continue;
      if (one.target == other.target || one.target == kAnySource.value ||
          other.target == kAnySource.value)
        return true;
    }
  return false;
}

bool meet(const TableEntry& entered, const TableEntry& mine) {
  if (entered.state == EntryState::Free || entered.owner != mine.owner) return false;
  const bool own = entered.rank == mine.rank && entered.task == mine.task;
  if (own && entered.state != EntryState::Pending) return false;
  const bool other_sides = ((entered.sides & 1) != 0 && (mine.sides & 2) != 0) ||
                           ((entered.sides & 2) != 0 && (mine.sides & 1) != 0);
  return other_sides && !lock_protected(entered, mine) && share_bytes(entered, mine);
}

// The side that a party takes. Where both could take either, the lower rank takes side 0.
std::uint32_t side_of(const TableEntry& one, const TableEntry& other) {
  if (one.sides != 3) return one.sides >> 1;
  if (other.sides != 3) return 1 - (other.sides >> 1);
  if (one.rank == other.rank) return one.state == EntryState::Pending ? 0 : 1;
  return one.rank < other.rank ? 0 : 1;
}

// Begins a meeting with an entry of the other side, if there is one. A waiting entry is removed:
// its task learns its turn from the meeting.
Turn match(RendezvousTable& table, const TableEntry& mine, int first_side) {
  for (TableEntry& entered : table.entries) {
    if (!meet(entered, mine)) continue;
    const std::uint32_t my_side = side_of(mine, entered);
    const bool i_am_first = my_side == static_cast<std::uint32_t>(first_side);
    const Meeting::Party me{mine.rank, my_side, mine.task, mine.arrival[my_side]};
    const Meeting::Party other{entered.rank, 1 - my_side, entered.task,
                               entered.arrival[1 - my_side]};
    table.first = i_am_first ? me : other;
    table.second = i_am_first ? other : me;
    const bool pending = entered.state == EntryState::Pending;
    table.forced = !pending || entered.steerable != 0 ? 1 : 0;
    // A pending operation that goes first is as complete as it can be made: nobody reports its end.
    table.first_done = pending && !i_am_first ? 1 : 0;
    table.second_waits = !pending || !i_am_first ? 1 : 0;
    table.met = 1;
    ++table.number;
    if (pending)
      ++entered.meetings;
    else if (table.repeats != 0)
      entered.state = EntryState::Free;
    return i_am_first ? Turn::First : Turn::Second;
  }
  return Turn::Proceed;
}

}  // namespace

bool add_piece(TableEntry& entry, const Strided& strided) {
  if (entry.pieces == kPieces || strided.dimensions.size() > kDimensions) return false;
  Piece& piece = entry.piece[entry.pieces++];
  piece = {.offset = strided.offset,
           .length = strided.length,
           .dimensions = static_cast<std::uint32_t>(strided.dimensions.size()),
           .reserved = 0,
           .dimension = {}};
  std::copy(strided.dimensions.begin(), strided.dimensions.end(), piece.dimension);
  return true;
}

Turn arrive(RendezvousTable& table, const TableEntry& mine, int first_side, bool enter,
            std::uint32_t& slot) {
  if (table.met != 0 && table.repeats == 0) return Turn::Proceed;
  if (table.met == 0)
    if (const Turn turn = match(table, mine, first_side); turn != Turn::Proceed) return turn;
  if (!enter) return Turn::Proceed;
  TableEntry* const free =
      std::find_if(std::begin(table.entries), std::end(table.entries),
                   [](const TableEntry& entry) { return entry.state == EntryState::Free; });
  if (free == std::end(table.entries)) return Turn::Proceed;
  *free = mine;
  slot = static_cast<std::uint32_t>(free - table.entries);
  return Turn::Entered;
}

Turn arrive_again(RendezvousTable& table, int first_side, std::uint32_t slot) {
  if (table.met != 0) return Turn::Entered;
  const TableEntry mine = table.entries[slot];
  table.entries[slot].state = EntryState::Free;
  const Turn turn = match(table, mine, first_side);
  if (turn != Turn::Proceed) return turn;
  table.entries[slot].state = mine.state;
  return Turn::Entered;
}

Turn turn_of(const RendezvousTable& table, std::int32_t rank, std::uint64_t task) {
  if (table.met == 0) return Turn::Entered;
  // One task may be both parties: its pending operation, and its next access. It asks about the
  // operation.
  if (table.second.rank == rank && table.second.task == task) return Turn::Second;
  if (table.first.rank == rank && table.first.task == task) return Turn::First;
  return table.repeats != 0 ? Turn::Entered : Turn::Proceed;
}

TableEntry* own_entry(RendezvousTable& table, std::uint32_t slot, std::int32_t rank,
                      std::uint64_t task) {
  TableEntry& entry = table.entries[slot];
  return entry.state != EntryState::Free && entry.rank == rank && entry.task == task ? &entry
                                                                                     : nullptr;
}

Turn turn_at(RendezvousTable& table, std::uint32_t slot, std::int32_t rank, std::uint64_t task) {
  const TableEntry* const entry = table.repeats != 0 ? own_entry(table, slot, rank, task) : nullptr;
  if (entry == nullptr) return turn_of(table, rank, task);
  return entry->state == EntryState::Pending && entry->meetings > 0 ? Turn::Second : Turn::Entered;
}

bool close_meeting(RendezvousTable& table, std::uint64_t number) {
  if (table.repeats == 0 || table.met == 0 || table.number != number) return false;
  table.met = table.first_done = 0;
  return true;
}

}  // namespace photofinish
