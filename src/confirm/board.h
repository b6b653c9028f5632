// The board on which tasks announce that they are at one side of a race, and what follows from it
// (docs/internals/confirm.md).
//
// Rule: a race has been seen when one task comes to a side while the posting of another is on the
// board for the other side, both to common bytes of one owner, with no lock that keeps them apart.
// A posting is there while its task waits at the side, or, for what goes on after it was started,
// until it is complete. So nothing is called a meeting that could not be one. Invariant: there is
// one meeting in a run. After it nobody waits but the second of the two, for the first.
//
// All of it is plain data that processes share, as memory or by letters (letters.h); whoever calls
// these functions has it to himself meanwhile.
#pragma once

#include <cstdint>

#include "model/data_map.h"

namespace photofinish {

inline constexpr std::uint32_t kPostings = 64, kPieces = 8, kDimensions = 3, kLocks = 4;

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

enum class PostingState : std::uint32_t { Free, Waits, GoesOn };

struct Posting {
  PostingState state;
  std::uint32_t sides;  // bit 0, bit 1; both where the two sides are one place
  std::int32_t rank, owner;
  std::uint64_t task;
  std::uint64_t arrival[2];  // which time it was that the rank came to each of its sides, from 1
  std::uint32_t
      steerable;  // GoesOn: it was started before what comes, or is put off, as the order has it
  std::uint32_t pieces, locks;
  Piece piece[kPieces];
  HeldLock lock[kLocks];
};

struct Meeting {
  std::uint32_t met;
  std::uint32_t first_done, forced;
  struct Party {
    std::int32_t rank;
    std::uint32_t side;
    std::uint64_t task, arrival;
  } first, second;
};

struct Board : Meeting {
  std::uint32_t taken;  // who writes has set it
  Posting postings[kPostings];
};

// Which side is to be first; where both are one place, 0 means the lower rank.
enum class Turn : std::uint32_t {
  GoOn,    // nothing to wait for
  Posted,  // nobody is there: it is on the board
  First,   // it met somebody, and goes first
  Second,
};

// Adds a box; false if it does not fit: then these bytes cannot meet anybody's.
bool add_piece(Posting& posting, const Strided& strided);

// A task comes to a side. If nobody is there for the other and `post`, it is put on the board, and
// `place` tells where.
Turn arrive(Board& board, const Posting& mine, int first_side, bool post, std::uint32_t& place);
// What has become of a task that is on the board, or was: First and Second if it met somebody, else
// Posted.
Turn turn_of(const Board& board, std::int32_t rank, std::uint64_t task);

}  // namespace photofinish
