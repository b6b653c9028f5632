#include "confirm/board.h"

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

bool share_bytes(const Posting& a, const Posting& b) {
  for (std::uint32_t i = 0; i < std::min(a.pieces, kPieces); ++i)
    for (std::uint32_t j = 0; j < std::min(b.pieces, kPieces); ++j)
      if (overlap(strided_of(a.piece[i]), strided_of(b.piece[j]))) return true;
  return false;
}

// As detect/rules.h has it: an exclusive lock keeps out whoever wants the same one.
bool kept_apart(const Posting& a, const Posting& b) {
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

bool meet(const Posting& posted, const Posting& mine) {
  if (posted.state == PostingState::Free || posted.owner != mine.owner) return false;
  const bool own = posted.rank == mine.rank && posted.task == mine.task;
  if (own && posted.state != PostingState::GoesOn) return false;
  const bool other_sides = ((posted.sides & 1) != 0 && (mine.sides & 2) != 0) ||
                           ((posted.sides & 2) != 0 && (mine.sides & 1) != 0);
  return other_sides && !kept_apart(posted, mine) && share_bytes(posted, mine);
}

// The side that a party takes: where both could take either, the lower rank takes the first.
std::uint32_t side_of(const Posting& one, const Posting& other) {
  if (one.sides != 3) return one.sides >> 1;
  if (other.sides != 3) return 1 - (other.sides >> 1);
  if (one.rank == other.rank) return one.state == PostingState::GoesOn ? 0 : 1;
  return one.rank < other.rank ? 0 : 1;
}

}  // namespace

bool add_piece(Posting& posting, const Strided& strided) {
  if (posting.pieces == kPieces || strided.dimensions.size() > kDimensions) return false;
  Piece& piece = posting.piece[posting.pieces++];
  piece = {.offset = strided.offset,
           .length = strided.length,
           .dimensions = static_cast<std::uint32_t>(strided.dimensions.size()),
           .reserved = 0,
           .dimension = {}};
  std::copy(strided.dimensions.begin(), strided.dimensions.end(), piece.dimension);
  return true;
}

Turn arrive(Board& board, const Posting& mine, int first_side, bool post, std::uint32_t& place) {
  if (board.met != 0) return Turn::GoOn;
  for (Posting& posted : board.postings) {
    if (!meet(posted, mine)) continue;
    const std::uint32_t my_side = side_of(mine, posted);
    const bool i_am_first = my_side == static_cast<std::uint32_t>(first_side);
    const Meeting::Party me{mine.rank, my_side, mine.task, mine.arrival[my_side]};
    const Meeting::Party other{posted.rank, 1 - my_side, posted.task, posted.arrival[1 - my_side]};
    board.first = i_am_first ? me : other;
    board.second = i_am_first ? other : me;
    const bool goes_on = posted.state == PostingState::GoesOn;
    board.forced = !goes_on || posted.steerable != 0 ? 1 : 0;
    // What was started before is as complete as it can be made; nobody would tell.
    board.first_done = goes_on && !i_am_first ? 1 : 0;
    board.met = 1;
    return i_am_first ? Turn::First : Turn::Second;
  }
  if (!post) return Turn::GoOn;
  Posting* const free =
      std::find_if(std::begin(board.postings), std::end(board.postings),
                   [](const Posting& p) { return p.state == PostingState::Free; });
  if (free == std::end(board.postings)) return Turn::GoOn;
  *free = mine;
  place = static_cast<std::uint32_t>(free - board.postings);
  return Turn::Posted;
}

Turn turn_of(const Board& board, std::int32_t rank, std::uint64_t task) {
  if (board.met == 0) return Turn::Posted;
  // One task may be both: what it has started, and what it comes to. It asks about the former.
  if (board.second.rank == rank && board.second.task == task) return Turn::Second;
  if (board.first.rank == rank && board.first.task == task) return Turn::First;
  return Turn::GoOn;
}

}  // namespace photofinish
