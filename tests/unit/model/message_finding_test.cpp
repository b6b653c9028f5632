#include "model/message_finding.h"

#include <gtest/gtest.h>

namespace photofinish {
namespace {

MessageEnd end_of(std::int32_t rank, Timestamp timestamp, std::uint64_t site_key) {
  MessageEnd end;
  end.rank = WorldRank(rank);
  end.timestamp = timestamp;
  end.site_key = site_key;
  return end;
}

MessageFindings race_of(const MessageEnd& receive, const MessageEnd& got, const MessageEnd& other) {
  MessageFinding finding;
  finding.receive = receive;
  finding.got = got;
  finding.others = {{.send = other, .receive = receive, .got = got}};
  finding.ranks = {receive.rank, got.rank, other.rank};
  MessageFindings all;
  all.races = {finding};
  return all;
}

// Rank 0 receives on one communicator, rank 3 on another: the candidates of rank 3 are not
// candidates of rank 0.
TEST(MessageFinding, TheExampleIsOneRace) {
  constexpr std::uint64_t kReceive = 1, kSend = 2;
  const MessageFindings first =
      race_of(end_of(0, 4, kReceive), end_of(1, 4, kSend), end_of(2, 4, kSend));
  const MessageFindings later =
      race_of(end_of(3, 4176, kReceive), end_of(1, 4200, kSend), end_of(0, 4176, kSend));
  for (const auto& parts : {std::vector{first, later}, std::vector{later, first}}) {
    const MessageFindings all = merge_messages(parts);
    ASSERT_EQ(all.races.size(), 1u);
    const MessageFinding& race = all.races[0];
    EXPECT_EQ(race.receive.rank, WorldRank(0));
    ASSERT_EQ(race.others.size(), 1u);
    EXPECT_EQ(race.others[0].send.rank, WorldRank(2));
    EXPECT_EQ(race.others[0].times, 2u);
    EXPECT_EQ(race.times, 2u);
    EXPECT_EQ(race.ranks.size(), 4u);
  }
}

// A send that only a later receive could have matched is reported with that receive, after those of
// the example.
TEST(MessageFinding, WhichReceiveCouldHaveGotIt) {
  constexpr std::uint64_t kReceive = 1, kSend = 2, kOther = 3;
  const MessageFindings first =
      race_of(end_of(0, 4, kReceive), end_of(1, 4, kSend), end_of(2, 8, kSend));
  const MessageFindings later =
      race_of(end_of(0, 40, kReceive), end_of(2, 8, kSend), end_of(1, 6, kOther));
  for (const auto& parts : {std::vector{first, later}, std::vector{later, first}}) {
    const MessageFindings all = merge_messages(parts);
    ASSERT_EQ(all.races.size(), 1u);
    const MessageFinding& race = all.races[0];
    EXPECT_EQ(race.receive.timestamp, 4u);
    ASSERT_EQ(race.others.size(), 2u);
    EXPECT_TRUE(is_of_example(race, race.others[0]));
    EXPECT_EQ(race.others[0].send.rank, WorldRank(2));
    EXPECT_FALSE(is_of_example(race, race.others[1]));
    EXPECT_EQ(race.others[1].got.rank, WorldRank(2));
    EXPECT_EQ(race.others[1].receive.timestamp, 40u);
  }
}

}  // namespace
}  // namespace photofinish
