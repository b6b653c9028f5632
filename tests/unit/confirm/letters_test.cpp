#include "confirm/letters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>

namespace photofinish {
namespace {

Posting at(int rank, std::uint32_t sides) {
  Posting posting{};
  posting.state = PostingState::Waits;
  posting.sides = sides;
  posting.rank = rank;
  posting.task = 100 + static_cast<std::uint64_t>(rank);
  EXPECT_TRUE(add_piece(posting, {0, 8, {}}));
  return posting;
}

// Ranks with letters between them that arrive whenever it is said.
struct Post {
  struct Rank {
    std::unique_ptr<Board> board = std::make_unique<Board>();
    std::unique_ptr<Letters> letters;
    std::uint64_t ask = 0;
    std::uint32_t place = 0;
    int account = -1;  // with whom it says to have met
  };
  std::vector<Rank> ranks;
  std::map<std::pair<int, int>, std::deque<Letter>> under_way;

  explicit Post(int size) : ranks(static_cast<std::size_t>(size)) {
    for (int rank = 0; rank < size; ++rank) {
      std::vector<std::int32_t> others;
      for (int other = 0; other < size; ++other)
        if (other != rank) others.push_back(other);
      of(rank).letters = std::make_unique<Letters>(rank, others, 0);
    }
  }
  Rank& of(int rank) { return ranks[static_cast<std::size_t>(rank)]; }
  // As a rank of a confirming run does with each letter.
  void note(int rank) {
    const Board& board = *of(rank).board;
    if (board.met == 0)
      of(rank).account = -1;
    else if (board.first.rank == rank)
      of(rank).account = board.second.rank;
    else if (board.second.rank == rank)
      of(rank).account = board.first.rank;
  }
  void send(int from, const std::vector<AddressedLetter>& out) {
    for (const AddressedLetter& envelope : out)
      under_way[{from, envelope.to}].push_back(envelope.letter);
  }
  void come(int rank, std::uint32_t side) {
    std::vector<AddressedLetter> out;
    ASSERT_EQ(arrive(*of(rank).board, at(rank, side), 0, true, of(rank).place), Turn::Posted);
    of(rank).ask = of(rank).letters->ask(at(rank, side), out);
    send(rank, out);
  }
  // It does not wait any more; whom it has met, or -1.
  int leave(int rank) {
    std::vector<AddressedLetter> out;
    Rank& it = of(rank);
    it.letters->forget(*it.board, it.ask, out);
    it.ask = 0;
    note(rank);
    it.board->postings[it.place].state = PostingState::Free;
    send(rank, out);
    return it.account;
  }
  bool deliver(int from, int to) {
    auto& queue = under_way[{from, to}];
    if (queue.empty()) return false;
    const Letter letter = queue.front();
    queue.pop_front();
    std::vector<AddressedLetter> out;
    of(to).letters->receive(*of(to).board, from, letter, out);
    note(to);
    send(to, out);
    return true;
  }
  void deliver_all() {
    for (bool some = true; some;) {
      some = false;
      for (int from = 0; from < static_cast<int>(ranks.size()); ++from)
        for (int to = 0; to < static_cast<int>(ranks.size()); ++to)
          some = deliver(from, to) || some;
    }
  }
};

TEST(LettersTest, TwoWhoAreThereMeetWhoeverAsksFirst) {
  for (const int first : {0, 1}) {
    Post post(2);
    post.come(first, first == 0 ? 1 : 2);
    post.deliver_all();
    EXPECT_TRUE(post.of(first).letters->is_answered(post.of(first).ask));
    EXPECT_EQ(post.of(first).board->met, 0u);
    post.come(1 - first, first == 0 ? 2 : 1);
    post.deliver_all();
    EXPECT_EQ(post.leave(0), 1);
    EXPECT_EQ(post.leave(1), 0);
    EXPECT_EQ(post.of(0).board->first.rank, 0);
    EXPECT_EQ(post.of(1).board->first.rank, 0);
  }
}

TEST(LettersTest, TwoWhoAskEachOtherMeetOnce) {
  Post post(2);
  post.come(0, 1);
  post.come(1, 2);
  post.deliver_all();
  EXPECT_EQ(post.leave(0), 1);
  EXPECT_EQ(post.leave(1), 0);
}

TEST(LettersTest, WhoHasLeftIsNotMet) {
  Post post(2);
  post.come(0, 1);
  EXPECT_EQ(post.leave(0), -1);
  post.come(1, 2);
  post.deliver(0, 1);  // asks, and is gone
  EXPECT_EQ(post.of(1).board->met, 1u) << "it cannot know yet";
  post.deliver_all();
  EXPECT_EQ(post.of(1).board->met, 0u);
  EXPECT_EQ(post.of(0).board->met, 0u);
}

TEST(LettersTest, TheFirstReportsThatItIsDone) {
  Post post(2);
  post.come(0, 1);
  post.come(1, 2);
  post.deliver_all();
  post.send(0, {Letters::done(*post.of(0).board)});
  EXPECT_EQ(post.of(1).board->first_done, 0u);
  post.deliver_all();
  EXPECT_EQ(post.of(1).board->first_done, 1u);
}

TEST(LettersTest, OthersHearThatItIsOver) {
  Post post(3);
  post.come(0, 1);
  post.come(1, 2);
  post.deliver_all();
  EXPECT_EQ(post.of(2).board->met, 1u);
  EXPECT_EQ(turn_of(*post.of(2).board, 2, 102), Turn::GoOn);
}

// Whatever comes when: a meeting that both have kept is one of two who were there at one time.
TEST(LettersTest, WhatBothHaveKeptHappened) {
  std::mt19937 random(1);
  int kept = 0;
  for (int round = 0; round < 20'000; ++round) {
    constexpr int kSize = 4;
    Post post(kSize);
    std::vector<int> since(kSize, -1), until(kSize, 1000);
    for (int step = 0; step < 60; ++step) {
      const int rank = static_cast<int>(random() % kSize);
      const auto at_rank = static_cast<std::size_t>(rank);
      const unsigned what = random() % 8;
      if (what == 0 && since[at_rank] < 0) {
        since[at_rank] = step;
        if (post.of(rank).board->met == 0)
          post.come(rank, 1 + random() % 2);
        else
          until[at_rank] = step;
      } else if (what == 1 && since[at_rank] >= 0 && until[at_rank] == 1000) {
        post.leave(rank);
        until[at_rank] = step;
      } else {
        post.deliver(static_cast<int>(random() % kSize), rank);
      }
    }
    for (int rank = 0; rank < kSize; ++rank) {
      const int other = post.of(rank).account;
      if (other < 0 || post.of(other).account != rank) continue;
      ++kept;
      EXPECT_LT(
          std::max(since[static_cast<std::size_t>(rank)], since[static_cast<std::size_t>(other)]),
          std::min(until[static_cast<std::size_t>(rank)], until[static_cast<std::size_t>(other)]));
    }
  }
  EXPECT_GT(kept, 1000);
}

}  // namespace
}  // namespace photofinish
