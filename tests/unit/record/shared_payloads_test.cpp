// Ranks that exchange messages and puts inside a group, in one process. In the replay, by threads
// in any interleaving, each receives the same payloads again.
#include "record/shared_payloads.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <deque>
#include <random>
#include <thread>

#include "../launch/temp_dir.h"
#include "record/watched_memory.h"

namespace photofinish {
namespace {

using Content = std::vector<std::uint8_t>;
std::vector<WorldRank> ranks_up_to(int count) {
  std::vector<WorldRank> ranks;
  for (int rank = 0; rank < count; ++rank) ranks.push_back(WorldRank(rank));
  return ranks;
}

// The seed and the received values determine what the rank requests and sends.
class Program {
 public:
  static constexpr std::size_t kWindow = 6000;
  enum class What { Send, Put, Receive, Common, Loop };
  struct Step {
    What what;
    int other;
    std::size_t at, bytes;
  };

  explicit Program(unsigned seed) : own_(seed), window_(kWindow) {}
  Step next(int ranks) {
    Step step{static_cast<What>(own_() % 5),
              static_cast<int>(own_() % static_cast<unsigned>(ranks)), own_() % 3000,
              1 + own_() % 3000};
    if (own_() % 3 == 0) step.bytes = 1 + step.bytes % 100;
    return step;
  }
  Content make(std::size_t bytes) {
    Content content(bytes);
    std::uint64_t word = own_() + 31 * sum_;
    for (auto& byte : content)
      byte = static_cast<std::uint8_t>(
          (word = word * 6364136223846793005u + 1442695040888963407u) >> 56);
    return content;
  }
  void find(const std::uint8_t* data, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) sum_ = sum_ * 1099511628211u + data[i];
    found_.push_back(sum_);
  }
  const std::vector<std::uint64_t>& found() const { return found_; }
  std::uint8_t* window() { return window_.data(); }

 private:
  std::mt19937_64 own_;
  std::uint64_t sum_ = 0;
  std::vector<std::uint64_t> found_;
  Content window_;
};

struct Putting {
  int to;
  std::size_t at;
  Content content;
};

// Behaves as MPI: messages in order, puts at some time, sometimes in two parts.
struct ExternalInput {
  std::mt19937_64 any;
  std::vector<std::deque<Content>> messages;
  std::vector<Putting> puts;
  Content common = Content(2000);
};

class Group {
 public:
  Group(const std::string& directory, int ranks, unsigned seed)
      : directory_(directory), ranks_(ranks), seed_(seed) {}

  std::vector<std::vector<std::uint64_t>> record(int steps) {
    ExternalInput outside{
        .any = std::mt19937_64(seed_ * 77),
        .messages = std::vector<std::deque<Content>>(static_cast<std::size_t>(ranks_)),
        .puts = {}};
    std::vector<std::unique_ptr<TraceWriter>> writers;
    std::vector<std::unique_ptr<PayloadTable>> tables;
    std::string table_name;
    std::vector<std::unique_ptr<Journal>> journals;
    std::vector<WatchedMemory> windows(static_cast<std::size_t>(ranks_));
    std::vector<Program> programs;
    for (int rank = 0; rank < ranks_; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      RankDefinition self;
      self.rank = WorldRank(rank);
      self.world_size = ranks_;
      auto writer = TraceWriter::create(directory_, self, 1,
                                        [](const std::string& line) { ADD_FAILURE() << line; });
      EXPECT_TRUE(writer);
      writers.push_back(std::move(*writer));
      const auto group = ranks_up_to(ranks_);
      tables.push_back(rank == 0 ? PayloadTable::create(table_name, group, WorldRank(0))
                                 : PayloadTable::open(table_name, group, WorldRank(rank)));
      EXPECT_NE(tables.back(), nullptr);
      tables.back()->write_to(writers.back()->open_journal(kTakenJournal));
      journals.push_back(std::make_unique<Journal>(writers.back()->open_journal(TaskId(0))));
      journals.back()->share(tables.back().get());
      programs.emplace_back(seed_ + static_cast<unsigned>(rank));
      windows[at].ask_for_arrivals([&, at] {
        std::vector<Arrival> arrivals;
        tables[at]->new_arrivals(arrivals);
        for (const Arrival& arrival : arrivals)
          windows[at].expect(programs[at].window() + arrival.displacement, arrival.bytes,
                             arrival.hash);
      });
    }
    PayloadTable::remove_name(table_name);
    for (std::size_t rank = 0; rank < journals.size(); ++rank)
      add_window(*journals[rank], windows[rank], programs[rank]);
    for (int step = 0; step < steps; ++step)
      for (std::size_t turns = 0; turns < journals.size(); ++turns) {
        // Each makes the same number of steps, in any order.
        const std::size_t rank = turns;
        run(programs[rank], *journals[rank], windows[rank], static_cast<int>(rank), &outside,
            tables[rank].get());
        deliver(outside, programs);
      }
    for (auto& writer : writers) writer->end(RankState::Exited, 0);
    std::vector<std::vector<std::uint64_t>> found;
    for (const Program& program : programs) found.push_back(program.found());
    return found;
  }

  // Replays all of them at once, or only those that one rank needs.
  std::vector<std::vector<std::uint64_t>> replay(int steps) {
    std::map<WorldRank, std::vector<std::uint64_t>> wanted;
    for (int rank = 0; rank < ranks_; ++rank)
      for (auto& [from, numbers] : read_taken(**RankTrace::open(directory_, WorldRank(rank)))) {
        taken_ += numbers.size();
        wanted[from].insert(wanted[from].end(), numbers.begin(), numbers.end());
      }
    const std::string path = directory_ + "/offers";
    EXPECT_TRUE(PayloadFiles::make(path, wanted));
    std::vector<std::vector<std::uint64_t>> found(static_cast<std::size_t>(ranks_));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks_; ++rank)
      threads.emplace_back([&, rank] {
        auto files = PayloadFiles::open(path, WorldRank(rank));
        auto trace = RankTrace::open(directory_, WorldRank(rank));
        ASSERT_TRUE(files && trace);
        Journal journal([&](std::vector<std::uint8_t>& entries) {
          return (*trace)->next_of_journal(TaskId(0), entries);
        });
        journal.share(
            files->get(),
            [](SharedPayload payload) {
              ADD_FAILURE() << "offer " << payload.number << " of rank " << payload.from.value
                            << " did not come";
            },
            [](SharedPayload payload) {
              ADD_FAILURE() << "offer " << payload.number << " of rank " << payload.from.value
                            << " is another one";
            });
        Program program(seed_ + static_cast<unsigned>(rank));
        WatchedMemory window;
        add_window(journal, window, program);
        for (int step = 0; step < steps && journal.ok(); ++step)
          run(program, journal, window, rank, nullptr, nullptr);
        EXPECT_TRUE(journal.ok());
        found[static_cast<std::size_t>(rank)] = program.found();
      });
    for (std::thread& thread : threads) thread.join();
    return found;
  }
  std::size_t taken() const { return taken_; }

 private:
  void add_window(Journal& journal, WatchedMemory& window, Program& program) {
    EXPECT_EQ(journal.ask(9, SiteId(0)), Journal::Asked::Same);
    window.add(journal, 1, program.window(), Program::kWindow);
    journal.done();
  }

  void run(Program& program, Journal& journal, WatchedMemory& window, int rank,
           ExternalInput* outside, PayloadTable* table) {
    const Program::Step step = program.next(ranks_);
    switch (step.what) {
      case Program::What::Send: {
        Content content = program.make(step.bytes);
        journal.payload(content.data(), content.size());
        if (outside == nullptr) return;
        if (outside->any() % 8 == 0)
          content[outside->any() % content.size()] ^= 1;  // the buffer was changed too early
        outside->messages[static_cast<std::size_t>(step.other)].push_back(std::move(content));
        return;
      }
      case Program::What::Put: {
        Content content = program.make(step.bytes);
        const auto hash = journal.payload(content.data(), content.size());
        if (outside == nullptr) return;
        if (hash)
          table->announce(
              WorldRank(step.other),
              {.win = Uid(1), .displacement = step.at, .bytes = step.bytes, .hash = *hash});
        outside->puts.push_back({step.other, step.at, std::move(content)});
        return;
      }
      case Program::What::Receive:
      case Program::What::Common: {
        std::uint64_t bytes = 0;
        Content content;
        if (outside != nullptr) {
          auto& messages = outside->messages[static_cast<std::size_t>(rank)];
          if (step.what == Program::What::Common) {  // others receive the same
            if (outside->any() % 4 == 0)
              outside->common[outside->any() % outside->common.size()] ^= 1;
            content = outside->common;
          } else if (!messages.empty()) {
            content = std::move(messages.front());
            messages.pop_front();
          } else {
            content.resize(step.bytes);
            for (auto& byte : content) byte = static_cast<std::uint8_t>(outside->any());
          }
          bytes = content.size();
        }
        EXPECT_EQ(journal.ask(1, SiteId(1)), Journal::Asked::Same);
        journal(bytes);
        content.resize(std::min<std::uint64_t>(bytes, 1 << 20));
        journal.contents(content.data(), content.size());
        journal.done();
        program.find(content.data(), content.size());
        return;
      }
      case Program::What::Loop: {
        bool any = false;
        const auto distance = window.distance_of(program.window() + step.at, step.bytes, any);
        ASSERT_TRUE(distance && any);
        window.look_ahead(journal, program.window() + step.at, step.bytes);
        std::uint8_t* const seen = program.window() + step.at + *distance;
        program.find(seen, step.bytes);
        for (std::size_t i = 0; i < step.bytes; i += 1 + step.bytes / 3)
          seen[i] = program.window()[step.at + i] = static_cast<std::uint8_t>(i);
        return;
      }
    }
  }

  // Delivers some puts, in order or in reverse, and some only in part.
  void deliver(ExternalInput& outside, std::vector<Program>& programs) {
    while (!outside.puts.empty() && outside.any() % 3 != 0) {
      const std::size_t which = outside.any() % outside.puts.size();
      Putting& put = outside.puts[which];
      std::size_t begin = 0, end = put.content.size();
      if (outside.any() % 4 == 0) (outside.any() % 2 == 0 ? begin : end) = end / 2;
      std::copy(put.content.begin() + static_cast<std::ptrdiff_t>(begin),
                put.content.begin() + static_cast<std::ptrdiff_t>(end),
                programs[static_cast<std::size_t>(put.to)].window() + put.at + begin);
      if (end - begin == put.content.size())
        outside.puts.erase(outside.puts.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }

  std::string directory_;
  int ranks_;
  unsigned seed_;
  std::size_t taken_ = 0;
};

TEST(Payloads, EachIsGivenWhatItWasGiven) {
  std::size_t taken = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    constexpr int kSteps = 300;
    const testing::TempDir directory;
    Group group(directory.path(), 2 + static_cast<int>(seed % 4), seed);
    const auto recorded = group.record(kSteps);
    ASSERT_EQ(group.replay(kSteps), recorded) << "seed " << seed;
    taken += group.taken();
  }
  EXPECT_GT(taken, 3000u);
}

// A name that others could have created, or can write to, is rejected.
TEST(Payloads, SharedMemoryIsNewAndPrivate) {
  std::string name, other;
  const auto table = PayloadTable::create(name, ranks_up_to(2), WorldRank(0)),
             next = PayloadTable::create(other, ranks_up_to(2), WorldRank(0));
  ASSERT_TRUE(table && next);
  EXPECT_NE(name, other);
  struct stat status{};
  const int file = shm_open(name.c_str(), O_RDWR, 0);
  ASSERT_EQ(fstat(file, &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_TRUE(PayloadTable::open(name, ranks_up_to(2), WorldRank(1)));
  fchmod(file, 0666);
  EXPECT_FALSE(PayloadTable::open(name, ranks_up_to(2), WorldRank(1)));
  close(file);
  PayloadTable::remove_name(name);
  PayloadTable::remove_name(other);
  EXPECT_FALSE(PayloadTable::open(name, ranks_up_to(2), WorldRank(1)));
  const std::string target = "/dev/shm" + other, link = "/dev/shm" + name;
  if (symlink(target.c_str(), link.c_str()) == 0) {
    EXPECT_FALSE(PayloadTable::open(name, ranks_up_to(2), WorldRank(1)));
    EXPECT_NE(access(target.c_str(), F_OK), 0);
    unlink(link.c_str());
  }
}

TEST(Payloads, TooManyAreForgottenAndNeverMistaken) {
  const testing::TempDir directory;
  auto writer =
      TraceWriter::create(directory.path(), RankDefinition{.rank = WorldRank(1), .world_size = 2},
                          1, [](const std::string& line) { ADD_FAILURE() << line; });
  ASSERT_TRUE(writer);
  std::string name;
  const auto giver = PayloadTable::create(name, ranks_up_to(2), WorldRank(0)),
             taker = PayloadTable::open(name, ranks_up_to(2), WorldRank(1));
  PayloadTable::remove_name(name);
  ASSERT_TRUE(giver && taker);
  taker->write_to((*writer)->open_journal(kTakenJournal));
  constexpr std::uint64_t kPayloads = 300'000;
  const auto hash_of = [](std::uint64_t i) { return content_hash(&i, sizeof i); };
  for (std::uint64_t i = 1; i <= kPayloads; ++i) giver->publish(hash_of(i), giver->next_number());
  std::uint64_t known = 0;
  for (std::uint64_t i = 1; i <= kPayloads + 1000; ++i)
    if (const auto payload = taker->take(hash_of(i))) {
      ++known;
      EXPECT_EQ(payload->from, WorldRank(0));
      EXPECT_EQ(payload->number, i);
    }
  EXPECT_GT(known, 10'000u);
  EXPECT_LT(known, kPayloads / 2);
}

TEST(Payloads, WhatDoesNotComeIsNotWaitedFor) {
  const testing::TempDir directory;
  const std::string path = directory.path() + "/offers";
  ASSERT_TRUE(PayloadFiles::make(path, {{WorldRank(3), {2, 5}}}));
  const auto giver = PayloadFiles::open(path, WorldRank(3)),
             taker = PayloadFiles::open(path, WorldRank(7));
  ASSERT_TRUE(giver && taker);
  for (char content = 'a'; content < 'd'; ++content)
    (*giver)->payload(std::string(100, content).data(), 100);
  std::string got(100, ' ');
  EXPECT_TRUE((*taker)->take({WorldRank(3), 2}, got.data(), 100));
  EXPECT_EQ(got, std::string(100, 'b'));
  EXPECT_FALSE((*taker)->take({WorldRank(3), 2}, got.data(), 99));   // differs from the recorded
                                                                     // one
  EXPECT_FALSE((*taker)->take({WorldRank(3), 1}, got.data(), 100));  // was not requested
  EXPECT_FALSE((*taker)->take({WorldRank(4), 1}, got.data(), 100));
  std::thread end([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    (*giver)->has_ended(WorldRank(3));
  });
  EXPECT_FALSE((*taker)->take({WorldRank(3), 5}, got.data(), 100));
  end.join();
  // A debugger restarts the rank: its payloads exist, and are not written twice.
  const auto again = PayloadFiles::open(path, WorldRank(3));
  for (int i = 0; i < 4; ++i) (*again)->payload(std::string(100, 'z').data(), 100);
  EXPECT_TRUE((*taker)->take({WorldRank(3), 2}, got.data(), 100));
  EXPECT_EQ(got, std::string(100, 'b'));
  EXPECT_FALSE((*again)->is_complete());
  (*again)->payload(std::string(100, 'z').data(), 100);
  EXPECT_TRUE((*taker)->take({WorldRank(3), 5}, got.data(), 100));
  EXPECT_TRUE((*again)->is_complete());
}

}  // namespace
}  // namespace photofinish
