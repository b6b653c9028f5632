// The order of turns: stored and read back, recorded by threads and enforced on others, against a
// list of turns behind one mutex.
#include "record/turn_order.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "../launch/temp_dir.h"
#include "trace/reader.h"

namespace photofinish {
namespace {

// The slow twin: a list, and a thread waits until the head is its own.
class TurnList {
 public:
  explicit TurnList(std::vector<ThreadTurn> turns) : turns_(std::move(turns)) {}
  template <class Step>
  void take(ThreadName thread, Step step) {
    for (;; std::this_thread::yield()) {
      const std::lock_guard lock(mutex_);
      if (next_ < turns_.size() && turns_[next_].thread != thread) continue;
      ASSERT_LT(next_, turns_.size());
      step(turns_[next_++]);
      return;
    }
  }

 private:
  std::mutex mutex_;
  std::vector<ThreadTurn> turns_;
  std::size_t next_ = 0;
};

TurnDecoder::Source source_of(const std::vector<ThreadTurn>& turns, std::size_t chunk = 7) {
  auto chunks = std::make_shared<std::vector<std::vector<std::uint8_t>>>();
  TurnEncoder encoder;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (i % chunk == 0) chunks->emplace_back();
    std::uint8_t bytes[TurnEncoder::kMaxBytes];
    chunks->back().insert(chunks->back().end(), bytes, bytes + encoder.encode(turns[i], bytes));
  }
  return [chunks, next = std::size_t{0}](std::vector<std::uint8_t>& bytes) mutable {
    if (next == chunks->size()) return false;
    bytes = (*chunks)[next++];
    return true;
  };
}

std::vector<ThreadTurn> random_turns(std::mt19937& random, unsigned threads, unsigned count) {
  std::vector<ThreadTurn> turns;
  for (unsigned i = 0; i < count; ++i)
    turns.push_back({{std::uint64_t{1} << (random() % threads * 3)},
                     static_cast<TurnKind>(random() % static_cast<unsigned>(TurnKind::kCount)),
                     random() % 4 == 0 ? static_cast<std::int64_t>(random()) - (1 << 30) : 0});
  return turns;
}

TEST(TurnCodec, ReturnsWhatWasStored) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    const std::vector<ThreadTurn> turns = random_turns(random, 1 + random() % 20, random() % 500);
    TurnDecoder decoder(source_of(turns, 1 + random() % 40));
    for (const ThreadTurn& turn : turns) {
      ThreadTurn read;
      ASSERT_TRUE(decoder.next(read));
      EXPECT_EQ(read, turn);
    }
    ThreadTurn more;
    EXPECT_FALSE(decoder.next(more));
  }
}

TEST(TurnCodec, MostTurnsTakeOneByte) {
  TurnEncoder encoder;
  std::uint8_t bytes[TurnEncoder::kMaxBytes];
  encoder.encode({{1}, TurnKind::Lock, 0}, bytes);
  EXPECT_EQ(encoder.encode({{1}, TurnKind::Atomic, 0}, bytes), 1u);
}

TEST(TurnCodec, EndsAtDamage) {
  for (const std::vector<std::uint8_t>& damaged :
       {std::vector<std::uint8_t>{0xff}, std::vector<std::uint8_t>{0x80, 0x7f},
        std::vector<std::uint8_t>{1, 1}}) {
    bool given = false;
    TurnDecoder decoder([&](std::vector<std::uint8_t>& bytes) {
      bytes = damaged;
      return !std::exchange(given, true);
    });
    ThreadTurn turn;
    for (int i = 0; i < 8; ++i) decoder.next(turn);
    EXPECT_FALSE(decoder.next(turn));
  }
}

// Each thread takes its own turns in its own order; the sequence of all must be the recorded one,
// as with the twin.
TEST(TurnOrder, IsTheRecordedOneWhoeverComesFirst) {
  std::mt19937 random(2);
  for (int round = 0; round < 20; ++round) {
    const unsigned threads = 2 + random() % 4;
    const std::vector<ThreadTurn> turns = random_turns(random, threads, 200);
    TurnOrder order(source_of(turns), [] { return false; });
    TurnList twin(turns);
    std::vector<ThreadTurn> taken, taken_of_twin;  // each is written by whoever has the turn
    std::vector<std::thread> running;
    for (unsigned i = 0; i < threads; ++i)
      running.emplace_back([&, name = ThreadName{std::uint64_t{1} << (i * 3)}] {
        for (const ThreadTurn& turn : turns) {
          if (turn.thread != name) continue;
          ASSERT_EQ(order.enter(name, turn.kind), TurnOrder::Entered::Ordered);
          taken.push_back({name, turn.kind, order.value()});
          order.leave(turn);
          twin.take(name, [&](const ThreadTurn& own) { taken_of_twin.push_back(own); });
        }
      });
    for (std::thread& thread : running) thread.join();
    EXPECT_EQ(taken, turns);
    EXPECT_EQ(taken, taken_of_twin);
    EXPECT_EQ(order.enter({1}, TurnKind::Lock), TurnOrder::Entered::End);
  }
}

// Threads draw numbers under the turn; the same threads draw the same numbers again.
class TurnsOfThreads : public ::testing::Test {
 protected:
  static constexpr unsigned kThreads = 4, kDraws = 500;
  using Drawn = std::array<std::vector<int>, kThreads>;
  static Drawn draw(TurnOrder& order) {
    Drawn drawn;
    int next = 0;
    std::vector<std::thread> running;
    for (unsigned i = 0; i < kThreads; ++i)
      running.emplace_back([&, i] {
        for (unsigned k = 0; k < kDraws; ++k) {
          EXPECT_EQ(order.enter({i + 1}, TurnKind::Atomic), TurnOrder::Entered::Ordered);
          drawn[i].push_back(next++);
          order.leave({{i + 1}, TurnKind::Atomic, 0});
          if (k % 50 == i) std::this_thread::yield();
        }
      });
    for (std::thread& thread : running) thread.join();
    return drawn;
  }
};

TEST_F(TurnsOfThreads, AreRecordedAndEnforced) {
  testing::TempDir directory;
  RankDefinition rank;
  rank.world_size = 1;
  auto writer = TraceWriter::create(directory.path(), rank, 1,
                                    [](const std::string& line) { ADD_FAILURE() << line; });
  ASSERT_TRUE(writer);
  TurnOrder recorded((*writer)->open_journal(kTurnJournal));
  const Drawn first = draw(recorded);
  (*writer)->end(RankState::Exited, 0);
  for (int round = 0; round < 3; ++round) {
    auto trace = RankTrace::open(directory.path(), WorldRank(0));
    ASSERT_TRUE(trace);
    TurnOrder replayed(
        [&](std::vector<std::uint8_t>& turns) {
          return (*trace)->next_of_journal(kTurnJournal, turns);
        },
        [] { return false; });
    EXPECT_EQ(draw(replayed), first);
  }
}

TEST(TurnOrder, SaysThatAThreadDoesSomethingElse) {
  TurnOrder order(source_of({{{1}, TurnKind::Lock, 0}}), [] { return false; });
  EXPECT_EQ(order.enter({1}, TurnKind::Atomic), TurnOrder::Entered::Other);
  EXPECT_EQ(order.expected().kind, TurnKind::Lock);
}

TEST(TurnOrder, GivesUpIfTheThreadWhoseTurnItIsDoesNotCome) {
  bool blocked = false;
  unsigned looks = 0;
  TurnOrder order(source_of({{{1}, TurnKind::Lock, 0}, {{2}, TurnKind::Lock, 0}}), [&] {
    if (++looks == 2) blocked = true;
    return blocked;
  });
  order.set_patience(400);
  EXPECT_EQ(order.enter({2}, TurnKind::Lock), TurnOrder::Entered::Stuck);
  EXPECT_EQ(order.expected().thread, ThreadName{1});
  EXPECT_GE(looks, 3u);
}

TEST(TurnOrder, DrainsUntilTheOthersHaveTakenTheirTurns) {
  TurnOrder order(source_of({{{1}, TurnKind::Lock, 0}, {{2}, TurnKind::Lock, 0}}),
                  [] { return false; });
  std::atomic<bool> taken = false;
  std::thread other([&] {
    for (const std::uint64_t name : {1, 2}) {
      EXPECT_EQ(order.enter({name}, TurnKind::Lock), TurnOrder::Entered::Ordered);
      if (name == 2) taken = true;
      order.leave({});
    }
  });
  order.drain({3});
  EXPECT_TRUE(taken);
  other.join();
}

}  // namespace
}  // namespace photofinish
