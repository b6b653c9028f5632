#include "explore/search.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <tuple>

#include "effects/message_sink.h"
#include "simulator.h"

namespace photofinish::testing {
namespace {

struct Explored {
  std::map<Matching, std::string> runs;
  std::size_t made = 0;
};

// The search, with the simulator as the program.
Explored explore(const Program& program, unsigned seed, std::size_t jobs = 1) {
  std::mt19937 random(seed);
  Search search;
  Explored explored;
  std::vector<Prescription> under_way;
  while (true) {
    while (under_way.size() < jobs)
      if (auto next = search.next())
        under_way.push_back(std::move(*next));
      else
        break;
    if (under_way.empty()) break;
    const std::size_t at = random() % under_way.size();
    const Prescription now = under_way[at];
    under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(at));
    const Simulation done = run(program, now.matching, random);
    EXPECT_TRUE(follows(done.matching(), now.matching))
        << text_of(program) << "prescribed " << text_of(now.matching) << "\ngot "
        << text_of(done.matching());
    const Choices choices = choices_of(done.execution());
    EXPECT_EQ(choices.matching, done.matching());
    explored.runs[done.matching()] = done.outcome();
    ++explored.made;
    search.add(now, choices, 0);
    if (explored.made > 3000) break;
  }
  EXPECT_TRUE(search.is_complete() || explored.made > 3000);
  return explored;
}

Instruction send(int to, int tag = 0) { return {Instruction::What::Send, to, tag, false, 0}; }
Instruction receive(int from = -1, int tag = -1) {
  return {Instruction::What::Receive, from, tag, false, 0};
}

// A lock as a process: while it is held, it receives no request to acquire it.
TEST(Search, ALockThatIsHeldIsNotAcquired) {
  constexpr std::int64_t kOperate = 0, kAcquire = 2;
  for (const bool refuses : {false, true}) {
    Execution execution;
    execution.processes.resize(3);
    std::uint64_t key = 0;
    const auto add = [&](std::size_t process, MessageStep::Kind kind, int peer, std::int64_t tag) {
      MessageStep step;
      step.kind = kind;
      step.operation = ++key;
      step.comm = Uid(1);
      step.peer = peer < 0 ? kAnySource : WorldRank(peer);
      step.tag = tag;
      step.key = (key + 1) / 2;  // of a send and its receive
      auto [posted, complete] = halves(step);
      execution.processes[process].steps.push_back(posted);
      execution.processes[process].steps.push_back(complete);
    };
    execution.processes[1].line = 1;
    execution.processes[2].line = kObjectLine;
    for (const int rank : {0, 1})
      for (const std::int64_t tag : {kAcquire, kOperate}) {  // and then release it
        add(static_cast<std::size_t>(rank), MessageStep::Kind::Send, 2, tag);
        add(2, MessageStep::Kind::Receive, -1, kAnyTag);
        if (refuses && tag == kOperate) {
          std::vector<MessageStep>& steps = execution.processes[2].steps;
          steps[steps.size() - 2].refused = kAcquire;
        }
        add(2, MessageStep::Kind::Send, rank, kOperate);
        add(static_cast<std::size_t>(rank), MessageStep::Kind::Receive, 2, kOperate);
      }
    const Choices choices = choices_of(execution);
    EXPECT_EQ(choices.matching.at(kObjectLine).size(), 4u);
    EXPECT_EQ(choices.alternatives.size(), refuses ? 1u : 2u);
    EXPECT_EQ(choices.alternatives.front().index, 0u);
  }
}

TEST(Search, EveryOrderOfArrival) {
  for (int senders = 1; senders <= 5; ++senders) {
    Program program(1);
    std::size_t orders = 1;
    for (int p = 1; p <= senders; ++p) {
      program[0].push_back(receive());
      program.push_back({send(0)});
      orders *= static_cast<std::size_t>(p);
    }
    const Explored explored = explore(program, 1);
    EXPECT_EQ(explored.runs.size(), orders);
    EXPECT_EQ(explored.made, orders);
  }
}

// docs/explore.md has these figures.
TEST(Search, RunsBesideInterleavings) {
  Program ring(4), sum(1), two(4);
  ring[0] = {send(1), receive()};
  for (int p = 1; p < 4; ++p) ring[static_cast<std::size_t>(p)] = {receive(), send((p + 1) % 4)};
  for (int p = 1; p < 4; ++p) {
    sum[0].push_back(receive());
    sum.push_back({send(0)});
  }
  two[0] = two[1] = {receive(), receive()};
  two[2] = two[3] = {send(0), send(1)};
  for (const auto& [name, program, runs] :
       {std::tuple{"ring", ring, 1u}, {"float sum", sum, 6u}, {"two choices", two, 4u}}) {
    const double orders = interleavings(program);
    EXPECT_EQ(explore(program, 1).made, runs) << name;
    EXPECT_GT(orders, runs) << name;
    std::printf("%s: %u runs, %.0f interleavings\n", name, runs, orders);
  }
}

TEST(Search, NoChoiceNeedsOneRun) {
  const Explored explored = explore({{send(1), receive(1)}, {receive(0), send(0)}}, 1);
  EXPECT_EQ(explored.made, 1u);
}

// A message that exists only after another choice was made differently.
TEST(Search, MessageBehindAnotherChoice) {
  const Program program{{receive()},
                        {receive(), {Instruction::What::SkipIf, 2, -1, false, 1}, send(0)},
                        {send(1), send(0)},
                        {send(1)}};
  const auto all = all_runs(program, 100000);
  ASSERT_TRUE(all);
  EXPECT_EQ(explore(program, 3).runs, *all);
}

TEST(Search, EqualsAllInterleavingsOfRandomPrograms) {
  const char* const more = std::getenv("PHOTOFINISH_EXPLORE_PROGRAMS");
  const int programs = more != nullptr ? std::atoi(more) : 1500;
  std::size_t checked = 0, most = 0;
  for (int seed = 0; seed < programs && !::testing::Test::HasFailure(); ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    const int processes = 2 + static_cast<int>(random() % 3);
    const Program program = random_program(random, processes, 2 + static_cast<int>(random() % 4));
    const auto all = all_runs(program, 60000);
    if (!all || all->size() > 2000) continue;
    ++checked;
    most = std::max(most, all->size());
    for (const std::size_t jobs : {1, 3}) {
      const Explored explored = explore(program, static_cast<unsigned>(seed), jobs);
      EXPECT_EQ(explored.runs, *all) << "seed " << seed << "\n" << text_of(program);
      // No two runs have the same matching.
      EXPECT_EQ(explored.made, explored.runs.size()) << "seed " << seed << "\n" << text_of(program);
    }
  }
  EXPECT_GT(checked, static_cast<std::size_t>(programs) / 2);
  EXPECT_GT(most, 20u);
  RecordProperty("programs", static_cast<int>(checked));
}

TEST(Search, PrescriptionsAtOnceExcludeEachOther) {
  Program program(1);
  for (int p = 1; p <= 4; ++p) {
    program[0].push_back(receive());
    program.push_back({send(0)});
  }
  const Explored explored = explore(program, 5, 8);
  EXPECT_EQ(explored.made, 24u);
}

TEST(Search, ARunThatDoesNotFollowIsTriedAgainAndThenGivenUp) {
  Search search;
  const auto first = search.next();
  ASSERT_TRUE(first);
  search.failed(*first, 2);
  EXPECT_FALSE(search.is_complete());
  const auto again = search.next();
  ASSERT_TRUE(again);
  search.failed(*again, 2);
  EXPECT_FALSE(search.next());
  EXPECT_FALSE(search.is_complete());
  EXPECT_EQ(search.given_up(), 1u);
  EXPECT_EQ(search.pending().size(), 1u);
}

TEST(SmallestChoices, AreThoseThatNoOtherOutcomeMade) {
  const auto matching = [](int a, int b, int c) {
    return Matching{{0, {{WorldRank(a), 0}, {WorldRank(b), 0}}}, {1, {{WorldRank(c), 0}}}};
  };
  const std::vector<ExploredRun> runs{{matching(1, 2, 0), 0, 1},
                                      {matching(1, 2, 2), 0, 1},
                                      {matching(2, 1, 0), 0, 1},
                                      {matching(2, 1, 2), 1, 1}};
  std::size_t run = 0;
  const auto needed = smallest_choices(runs, 1, run);
  EXPECT_EQ(run, 3u);
  ASSERT_EQ(needed.size(), 2u);
  EXPECT_EQ(needed[0].line, 0u);
  EXPECT_EQ(needed[1].line, 1u);
}

}  // namespace
}  // namespace photofinish::testing
