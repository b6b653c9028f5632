// How ranks that do not share a node find each other at the sides of a race: by letters
// (docs/internals/confirm.md).
//
// Each rank has a board with its own postings. Who comes to a side asks those who may be at the
// other one. Whoever is asked looks at its board; if somebody is there, the two have met: it keeps
// the meeting and tells so, and who asked keeps it, too, if it is still there. Invariant: each
// keeps a meeting only while it is at its side itself. So one that both have kept was one, and
// nothing else counts: a letter that comes late, or never, makes none. Of two who ask each other at
// a time the lower rank is answered first. Letters between two ranks arrive in their order; nothing
// else is asked of whoever carries them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "confirm/board.h"

namespace photofinish {

enum class LetterKind : std::uint32_t {
  Ask,  // I am at a side; is anybody at the other?
  NotHere,
  Met,   // yes, and this is who goes first
  Gone,  // too late: we did not meet
  Done,  // the first is over
  Over,  // others met
};

struct Letter {
  LetterKind kind;
  std::uint32_t reserved;
  std::uint64_t ask;  // which of the asker's
  Meeting meeting;
  Posting posting;  // of an Ask alone
};

struct AddressedLetter {
  std::int32_t to;
  Letter letter;
};

class Letters {
 public:
  // `others`: who may be at the other side.
  Letters(std::int32_t rank, std::vector<std::int32_t> others, std::uint32_t first_side)
      : rank_(rank), first_side_(first_side), others_(std::move(others)) {}

  // A task is at a side, until it forgets that it has asked.
  std::uint64_t ask(const Posting& mine, std::vector<AddressedLetter>& out);
  bool is_answered(std::uint64_t ask) const;
  void forget(Board& board, std::uint64_t ask, std::vector<AddressedLetter>& out);

  void receive(Board& board, std::int32_t from, const Letter& letter,
               std::vector<AddressedLetter>& out);
  // What the first of a meeting has to tell.
  static AddressedLetter done(const Meeting& meeting) {
    return {meeting.second.rank,
            {.kind = LetterKind::Done, .reserved = 0, .ask = 0, .meeting = meeting, .posting = {}}};
  }

 private:
  bool awaits(std::int32_t from) const;
  void answer(Board& board, std::int32_t from, const Letter& letter,
              std::vector<AddressedLetter>& out);
  void keep(Board& board, std::int32_t from, const Letter& letter,
            std::vector<AddressedLetter>& out);
  void answer_waiting(Board& board, std::vector<AddressedLetter>& out);
  bool is_ours(const Meeting& meeting, std::int32_t other) const;

  const std::int32_t rank_;
  const std::uint32_t first_side_;
  const std::vector<std::int32_t> others_;
  std::map<std::uint64_t, std::set<std::int32_t>> asks_;  // and who has not answered
  std::vector<std::pair<std::int32_t, Letter>> waiting_;  // asks that come after ours
  std::uint64_t next_ask_ = 1;
};

}  // namespace photofinish
