// Journal round trip, through a real trace, in chunks: a replay gets the recorded inputs, and
// compares the queries.
#include "record/journal.h"

#include <gtest/gtest.h>

#include <random>

#include "../launch/temp_dir.h"
#include "photofinish/runtime_abi.h"
#include "record/watched_memory.h"
#include "trace/reader.h"

namespace photofinish {
namespace {

class RecordedRank : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_.emplace();
    RankDefinition rank;
    rank.world_size = 1;
    auto writer = TraceWriter::create(directory_->path(), rank, 1,
                                      [](const std::string& line) { ADD_FAILURE() << line; });
    ASSERT_TRUE(writer);
    writer_ = std::move(*writer);
    kept_ = std::make_unique<Journal>(writer_->open_journal(TaskId(0)));
  }
  void TearDown() override {
    writer_.reset();
    directory_.reset();
  }
  // The journal as a replayed rank reads it; `ended`: the recorded rank ended normally, otherwise
  // it was killed.
  Journal& replay(bool ended) {
    if (ended) writer_->end(RankState::Exited, 0);
    auto trace = RankTrace::open(directory_->path(), WorldRank(0));
    EXPECT_TRUE(trace);
    trace_ = std::move(*trace);
    EXPECT_EQ(trace_->damage(), "");
    given_ = std::make_unique<Journal>([this](std::vector<std::uint8_t>& entries) {
      return trace_->next_of_journal(TaskId(0), entries);
    });
    return *given_;
  }

  std::optional<testing::TempDir> directory_;
  std::unique_ptr<TraceWriter> writer_;
  std::unique_ptr<RankTrace> trace_;
  std::unique_ptr<Journal> kept_, given_;
};

// A synthetic program: the seed determines its queries, `outside` the answers.
struct Asker {
  std::mt19937 own;
  explicit Asker(unsigned seed) : own(seed) {}
  void ask(Journal& journal, std::mt19937* outside, std::vector<std::uint64_t>& answers) {
    const std::uint32_t what = own() % 5;
    const SiteId site(own() % 7);
    std::vector<Inquiry::Given> fields;
    for (unsigned i = own() % 4; i > 0; --i)
      fields.push_back(
          {static_cast<std::uint8_t>(own() % 30), static_cast<std::int64_t>(own() % 3)});
    ASSERT_EQ(journal.ask(what, site), Journal::Asked::Same);
    ASSERT_EQ(journal.ask_with(fields), Journal::Asked::Same);
    std::uint64_t number = outside ? (*outside)() : 0;
    std::string text = outside ? std::string((*outside)() % 9, 'x') : "";
    std::vector<std::uint8_t> bytes(
        own() % 5 == 0 ? 400'000 : own() % 40);  // sometimes more than a lane holds
    if (outside)
      for (auto& byte : bytes) byte = static_cast<std::uint8_t>((*outside)());
    journal(number, text);
    journal.bytes(bytes.data(), bytes.size());
    journal.done();
    answers.push_back(number);
    answers.push_back(text.size());
    for (const auto byte : bytes) answers.push_back(byte);
  }
};

TEST_F(RecordedRank, GivesBackWhatItKept) {
  for (const bool ended : {false, true}) {
    if (ended) TearDown(), SetUp();
    std::mt19937 outside(17);
    std::vector<std::uint64_t> recorded, replayed;
    Asker first(3), second(3);
    for (int i = 0; i < 200; ++i) first.ask(*kept_, &outside, recorded);
    Journal& given = replay(ended);
    for (int i = 0; i < 200; ++i) second.ask(given, nullptr, replayed);
    EXPECT_TRUE(given.ok());
    EXPECT_EQ(recorded, replayed);
    EXPECT_EQ(given.ask(0, SiteId(0)), Journal::Asked::End);
  }
}

TEST_F(RecordedRank, KnowsTheQueryThatWasAsked) {
  for (int i = 0; i < 3; ++i) {
    kept_->ask(4, SiteId(9));
    kept_->ask_with({{2, 30 + i}});
    kept_->done();
  }
  Journal& given = replay(true);
  EXPECT_EQ(given.ask(4, SiteId(9)), Journal::Asked::Same);
  EXPECT_EQ(given.ask_with({{2, 30}}), Journal::Asked::Same);
  given.done();
  EXPECT_EQ(given.ask(4, SiteId(9)), Journal::Asked::Same);
  EXPECT_EQ(given.ask_with({{2, 99}}), Journal::Asked::Other);
  EXPECT_EQ(given.expected().fields, (std::vector<Inquiry::Given>{{2, 31}}));
  given.done();
  EXPECT_EQ(given.ask(5, SiteId(9)), Journal::Asked::Other);
  EXPECT_EQ(given.expected().what, 4u);
  EXPECT_EQ(given.expected().site, SiteId(9));
}

std::uint8_t* seen_of(std::vector<std::uint8_t>& memory, const WatchedMemory::Seen& all,
                      std::size_t offset) {
  return memory.data() + offset + all.distance;
}

// One task loads and stores in memory that others write at any time; in the replay, alone, it loads
// the same values.
TEST_F(RecordedRank, LoadsFindWhatTheyFound) {
  constexpr std::size_t kBytes = 5000;
  std::vector<std::uint8_t> memory(kBytes);
  std::mt19937 others(5);
  const auto step = [&](std::mt19937& own, Journal& journal, WatchedMemory& watched, bool recorded,
                        std::vector<std::uint64_t>& found) {
    const std::size_t bytes = std::size_t{1} << own() % 4, at = own() % (kBytes - 8);
    // The memory that a loop loads from, and also stores to.
    const auto seen = [&](std::size_t offset) {
      return &memory[offset] + (recorded ? watched.all_around(memory.data(), false).distance : 0);
    };
    switch (own() % 11) {
      case 8: {  // a loop over a row that loads each element and stores some
        const std::size_t size = own() % 2000;
        bool any = false;
        if (at + size > kBytes || size == 0) break;
        ASSERT_EQ(watched.distance_of(&memory[at], size, any), seen(0) - memory.data());
        ASSERT_TRUE(any);
        watched.look_ahead(journal, &memory[at], size);
        if (recorded)
          memory[at + others() % size] =
              static_cast<std::uint8_t>(others());  // too late for the loop
        for (std::size_t i = at; i < at + size; ++i) {
          found.push_back(*seen(i));
          if (own() % 4 == 0) *seen(i) = memory[i] = static_cast<std::uint8_t>(own());
        }
        break;
      }
      case 9: {  // an irregular loop, which checks each block first
        const WatchedMemory::Seen all = watched.all_around(&memory[at], false);
        ASSERT_EQ(all.begin, reinterpret_cast<std::uint64_t>(memory.data()));
        ASSERT_EQ(all.bytes, kBytes);
        for (int i = 0; i < 100; ++i) {
          const std::size_t here = own() % (kBytes - 8);
          if (own() % 4 == 0) {
            *seen_of(memory, all, here) = memory[here] = static_cast<std::uint8_t>(own());
            continue;
          }
          if (all.checked[here / PHOTOFINISH_BLOCK] == 0) watched.check_at(journal, &memory[here]);
          ASSERT_NE(all.checked[here / PHOTOFINISH_BLOCK], 0);
          for (std::size_t byte = here; byte < here + bytes; ++byte)
            found.push_back(*seen_of(memory, all, byte));
          if (recorded && others() % 8 == 0)
            memory[others() % kBytes] = static_cast<std::uint8_t>(others());
        }
        break;
      }
      case 0: {  // a store
        const std::uint64_t value = own();
        std::memcpy(&memory[at], &value, bytes);
        if (recorded) watched.stored(&memory[at], &value, bytes);
        break;
      }
      case 1: {  // a block store, which is reported before it happens
        const std::size_t size = own() % 100;
        if (at + size > kBytes) break;
        if (recorded) watched.will_store(&memory[at], size);
        std::memset(&memory[at], static_cast<int>(own()), size);
        if (recorded) watched.settle();
        break;
      }
      case 2: {  // another kind of query
        std::uint64_t number = recorded ? others() : 0;
        ASSERT_EQ(journal.ask(1, SiteId(1)), Journal::Asked::Same);
        journal(number);
        journal.done();
        found.push_back(number);
        break;
      }
      case 3: {  // a block that is about to be read
        const std::size_t size = own() % 100;
        if (at + size > kBytes) break;
        watched.loaded(journal, &memory[at], &memory[at], size);
        for (std::size_t i = 0; i < size; ++i) found.push_back(memory[at + i]);
        break;
      }
      default: {  // a load; another rank may write again before the hook is called
        std::uint64_t value = 0;
        std::memcpy(&value, &memory[at], bytes);
        if (recorded && others() % 4 == 0) memory[at] = static_cast<std::uint8_t>(others());
        watched.loaded(journal, &memory[at], &value, bytes);
        found.push_back(value);
      }
    }
    if (recorded && others() % 3 == 0)
      memory[others() % kBytes] = static_cast<std::uint8_t>(others());
  };
  std::vector<std::uint64_t> recorded, replayed;
  {
    for (auto& byte : memory) byte = static_cast<std::uint8_t>(others() % 2);
    std::mt19937 own(8);
    WatchedMemory watched;
    kept_->ask(0, SiteId(0));
    watched.add(*kept_, 1, memory.data(), kBytes);
    kept_->done();
    for (int i = 0; i < 20'000; ++i) step(own, *kept_, watched, true, recorded);
  }
  std::fill(memory.begin(), memory.end(), std::uint8_t{0xee});
  Journal& given = replay(true);
  std::mt19937 own(8);
  WatchedMemory watched;
  ASSERT_EQ(given.ask(0, SiteId(0)), Journal::Asked::Same);
  watched.add(given, 1, memory.data(), kBytes);
  given.done();
  for (int i = 0; i < 20'000; ++i) step(own, given, watched, false, replayed);
  EXPECT_TRUE(given.ok());
  EXPECT_EQ(recorded, replayed);
}

TEST_F(RecordedRank, ChangesAreGivenBackAsAWhole) {
  std::vector<std::uint8_t> memory(10'001);
  std::mt19937 others(6);
  WatchedMemory watched;
  std::vector<std::vector<std::uint8_t>> states;
  const auto exchange = [&](Journal& journal, WatchedMemory& all, bool first) {
    EXPECT_EQ(journal.ask(3, SiteId(0)), Journal::Asked::Same);
    if (first)
      all.add(journal, 7, memory.data(), memory.size());
    else
      all.exchange_changes(journal);
    journal.done();
  };
  for (int i = 0; i < 300; ++i) {
    for (unsigned n = others() % 5; n > 0; --n)
      memory[others() % memory.size()] = static_cast<std::uint8_t>(others());
    exchange(*kept_, watched, i == 0);
    states.push_back(memory);
  }
  std::fill(memory.begin(), memory.end(), std::uint8_t{1});
  Journal& given = replay(true);
  WatchedMemory again;
  for (int i = 0; i < 300; ++i) {
    exchange(given, again, i == 0);
    ASSERT_EQ(memory, states[static_cast<std::size_t>(i)]) << i;
  }
}

}  // namespace
}  // namespace photofinish
