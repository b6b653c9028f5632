#include "confirm/letters.h"

#include <algorithm>

namespace photofinish {
namespace {

Letter reply(LetterKind kind, std::uint64_t ask, const Meeting& meeting = {}) {
  return {.kind = kind, .reserved = 0, .ask = ask, .meeting = meeting, .posting = {}};
}

}  // namespace

std::uint64_t Letters::ask(const Posting& mine, std::vector<AddressedLetter>& out) {
  const std::uint64_t ask = next_ask_++;
  asks_[ask] = {others_.begin(), others_.end()};
  for (const std::int32_t other : others_)
    out.push_back(
        {other,
         {.kind = LetterKind::Ask, .reserved = 0, .ask = ask, .meeting = {}, .posting = mine}});
  return ask;
}

bool Letters::is_answered(std::uint64_t ask) const {
  const auto found = asks_.find(ask);
  return found == asks_.end() || found->second.empty();
}

void Letters::forget(Board& board, std::uint64_t ask, std::vector<AddressedLetter>& out) {
  asks_.erase(ask);
  answer_waiting(board, out);
}

bool Letters::awaits(std::int32_t from) const {
  return std::any_of(asks_.begin(), asks_.end(),
                     [&](const auto& ask) { return ask.second.contains(from); });
}

bool Letters::is_ours(const Meeting& meeting, std::int32_t other) const {
  return meeting.met != 0 && ((meeting.first.rank == rank_ && meeting.second.rank == other) ||
                              (meeting.first.rank == other && meeting.second.rank == rank_));
}

void Letters::answer(Board& board, std::int32_t from, const Letter& letter,
                     std::vector<AddressedLetter>& out) {
  std::uint32_t place = 0;
  const Turn turn = arrive(board, letter.posting, static_cast<int>(first_side_), false, place);
  const bool met = turn == Turn::First || turn == Turn::Second;
  out.push_back({from, met ? reply(LetterKind::Met, letter.ask, board)
                           : reply(LetterKind::NotHere, letter.ask)});
}

void Letters::answer_waiting(Board& board, std::vector<AddressedLetter>& out) {
  std::erase_if(waiting_, [&](const auto& asked) {
    if (awaits(asked.first)) return false;
    answer(board, asked.first, asked.second, out);
    return true;
  });
}

void Letters::keep(Board& board, std::int32_t from, const Letter& letter,
                   std::vector<AddressedLetter>& out) {
  if (board.met != 0 || !asks_.contains(letter.ask))
    return out.push_back({from, reply(LetterKind::Gone, letter.ask, letter.meeting)});
  static_cast<Meeting&>(board) = letter.meeting;
  for (const std::int32_t other : others_)
    if (other != from) out.push_back({other, reply(LetterKind::Over, 0, board)});
}

void Letters::receive(Board& board, std::int32_t from, const Letter& letter,
                      std::vector<AddressedLetter>& out) {
  switch (letter.kind) {
    case LetterKind::Ask:
      if (rank_ < from && awaits(from))
        waiting_.emplace_back(from, letter);
      else
        answer(board, from, letter, out);
      return;
    case LetterKind::NotHere:
    case LetterKind::Met:
      if (letter.kind == LetterKind::Met) keep(board, from, letter, out);
      if (const auto found = asks_.find(letter.ask); found != asks_.end())
        found->second.erase(from);
      return answer_waiting(board, out);
    case LetterKind::Gone:
      if (is_ours(board, from) && is_ours(letter.meeting, from)) static_cast<Meeting&>(board) = {};
      return;
    case LetterKind::Done:
      if (is_ours(board, from)) board.first_done = 1;
      return;
    case LetterKind::Over:
      if (board.met == 0) static_cast<Meeting&>(board) = letter.meeting;
      return;
  }
}

}  // namespace photofinish
