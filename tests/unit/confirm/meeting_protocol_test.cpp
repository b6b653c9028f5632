#include "confirm/meeting_protocol.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>

namespace photofinish {
namespace {

TableEntry at(int rank, std::uint32_t sides) {
  TableEntry entry{};
  entry.state = EntryState::Waiting;
  entry.sides = sides;
  entry.rank = rank;
  entry.task = 100 + static_cast<std::uint64_t>(rank);
  EXPECT_TRUE(add_piece(entry, {0, 8, {}}));
  return entry;
}

// Ranks with protocol between them that arrive whenever it is said.
struct Post {
  struct Rank {
    std::unique_ptr<RendezvousTable> table = std::make_unique<RendezvousTable>();
    std::unique_ptr<MeetingProtocol> protocol;
    std::uint64_t ask = 0;
    std::uint32_t slot = 0;
    int result = -1;  // with whom it says to have met
  };
  std::vector<Rank> ranks;
  std::map<std::pair<int, int>, std::deque<ControlMessage>> under_way;

  explicit Post(int size) : ranks(static_cast<std::size_t>(size)) {
    for (int rank = 0; rank < size; ++rank) {
      std::vector<std::int32_t> others;
      for (int other = 0; other < size; ++other)
        if (other != rank) others.push_back(other);
      of(rank).protocol = std::make_unique<MeetingProtocol>(rank, others, 0);
    }
  }
  Rank& of(int rank) { return ranks[static_cast<std::size_t>(rank)]; }
  // As a rank of a confirming run does with each message.
  void note(int rank) {
    const RendezvousTable& table = *of(rank).table;
    if (table.met == 0)
      of(rank).result = -1;
    else if (table.first.rank == rank)
      of(rank).result = table.second.rank;
    else if (table.second.rank == rank)
      of(rank).result = table.first.rank;
  }
  void send(int from, const std::vector<AddressedMessage>& out) {
    for (const AddressedMessage& envelope : out)
      under_way[{from, envelope.to}].push_back(envelope.message);
  }
  void reach_site(int rank, std::uint32_t side) {
    std::vector<AddressedMessage> out;
    ASSERT_EQ(arrive(*of(rank).table, at(rank, side), 0, true, of(rank).slot), Turn::Entered);
    of(rank).ask = of(rank).protocol->ask(at(rank, side), out);
    send(rank, out);
  }
  // It does not wait any more; whom it has met, or -1.
  int leave(int rank) {
    std::vector<AddressedMessage> out;
    Rank& it = of(rank);
    it.protocol->forget(*it.table, it.ask, out);
    it.ask = 0;
    note(rank);
    it.table->entries[it.slot].state = EntryState::Free;
    send(rank, out);
    return it.result;
  }
  bool deliver(int from, int to) {
    auto& queue = under_way[{from, to}];
    if (queue.empty()) return false;
    const ControlMessage message = queue.front();
    queue.pop_front();
    std::vector<AddressedMessage> out;
    of(to).protocol->receive(*of(to).table, from, message, out);
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

TEST(MeetingProtocolTest, TwoWhoAreThereMeetWhoeverAsksFirst) {
  for (const int first : {0, 1}) {
    Post post(2);
    post.reach_site(first, first == 0 ? 1 : 2);
    post.deliver_all();
    EXPECT_TRUE(post.of(first).protocol->is_answered(post.of(first).ask));
    EXPECT_EQ(post.of(first).table->met, 0u);
    post.reach_site(1 - first, first == 0 ? 2 : 1);
    post.deliver_all();
    EXPECT_EQ(post.leave(0), 1);
    EXPECT_EQ(post.leave(1), 0);
    EXPECT_EQ(post.of(0).table->first.rank, 0);
    EXPECT_EQ(post.of(1).table->first.rank, 0);
  }
}

TEST(MeetingProtocolTest, TwoWhoAskEachOtherMeetOnce) {
  Post post(2);
  post.reach_site(0, 1);
  post.reach_site(1, 2);
  post.deliver_all();
  EXPECT_EQ(post.leave(0), 1);
  EXPECT_EQ(post.leave(1), 0);
}

TEST(MeetingProtocolTest, WhoHasLeftIsNotMet) {
  Post post(2);
  post.reach_site(0, 1);
  EXPECT_EQ(post.leave(0), -1);
  post.reach_site(1, 2);
  post.deliver(0, 1);  // asks, and is gone
  EXPECT_EQ(post.of(1).table->met, 1u) << "it cannot know yet";
  post.deliver_all();
  EXPECT_EQ(post.of(1).table->met, 0u);
  EXPECT_EQ(post.of(0).table->met, 0u);
}

// Rank 1 has been waiting inside MPI: it receives both questions at once, when it is at its site.
TEST(MeetingProtocolTest, AWithdrawnQuestionDoesNotHideThePendingOperation) {
  Post post(2);
  post.reach_site(0, 1);
  std::vector<AddressedMessage> out;
  post.of(0).protocol->forget(*post.of(0).table, post.of(0).ask, out);
  post.send(0, out);
  post.of(0).table->entries[post.of(0).slot].state = EntryState::Pending;
  post.reach_site(1, 2);
  std::vector<ReceivedMessage> arrived;
  for (auto& queue = post.under_way[{0, 1}]; !queue.empty(); queue.pop_front())
    arrived.push_back({0, queue.front()});
  ASSERT_EQ(arrived.size(), 2u);
  MeetingProtocol::drop_withdrawn(arrived);
  for (const ReceivedMessage& one : arrived)
    post.of(1).protocol->receive(*post.of(1).table, one.from, one.message, out);
  EXPECT_EQ(post.of(1).table->met, 0u);
  post.deliver_all();
  EXPECT_EQ(post.of(0).result, 1);
  EXPECT_EQ(post.leave(1), 0);
}

TEST(MeetingProtocolTest, TheFirstReportsThatItIsDone) {
  Post post(2);
  post.reach_site(0, 1);
  post.reach_site(1, 2);
  post.deliver_all();
  post.send(0, {MeetingProtocol::done(*post.of(0).table)});
  EXPECT_EQ(post.of(1).table->first_done, 0u);
  post.deliver_all();
  EXPECT_EQ(post.of(1).table->first_done, 1u);
}

TEST(MeetingProtocolTest, OthersHearThatItIsOver) {
  Post post(3);
  post.reach_site(0, 1);
  post.reach_site(1, 2);
  post.deliver_all();
  EXPECT_EQ(post.of(2).table->met, 1u);
  EXPECT_EQ(turn_of(*post.of(2).table, 2, 102), Turn::Proceed);
}

// Whatever comes when: a meeting that both have kept is one of two who were there at one time.
TEST(MeetingProtocolTest, WhatBothHaveKeptHappened) {
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
        if (post.of(rank).table->met == 0)
          post.reach_site(rank, 1 + random() % 2);
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
      const int other = post.of(rank).result;
      if (other < 0 || post.of(other).result != rank) continue;
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
