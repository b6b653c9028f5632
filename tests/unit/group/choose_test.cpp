// The search for a group: small executions with a known result, and random ones compared with a
// search through all interleavings.
#include "group/choose.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "brute_force.h"
#include "group/by_time.h"
#include "group/z3_solver.h"

namespace photofinish::group {
namespace {

constexpr double kLimit = 60;

Event set(Cell cell, std::int64_t value) {
  return {.cell = cell, .write = Event::Write::Set, .operand = value};
}
Event add(Cell cell, std::int64_t value) {
  return {.cell = cell, .write = Event::Write::Add, .operand = value};
}
Event read(Cell cell, std::int64_t value) { return {.cell = cell, .reads = value}; }
Event sync() { return {}; }
Event initial(Cell cell, std::int64_t value) {
  Event event = set(cell, value);
  event.pending = event.initial = true;
  return event;
}

std::vector<std::uint32_t> members(const Choice& choice) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < choice.prefix.size(); ++rank)
    if (choice.prefix[rank] != kExternal) ranks.push_back(rank);
  return ranks;
}
using Ranks = std::vector<std::uint32_t>;

TEST(Group, IsTheFailedRankIfItReadNothing) {
  const Execution execution{.ranks = {{set(0, 1)}, {set(0, 2)}}, .syncs = {}};
  const Choice choice = choose_group(execution, 1, solve_with_z3, kLimit);
  EXPECT_EQ(choice.state, Choice::State::Found);
  EXPECT_EQ(members(choice), Ranks{1});
}

TEST(Group, HasTheWriterOfAValue) {
  const Execution execution{.ranks = {{read(0, 7)}, {set(0, 6)}, {set(0, 7)}}, .syncs = {}};
  const Choice choice = choose_group(execution, 0, solve_with_z3, kLimit);
  EXPECT_EQ(choice.state, Choice::State::Found);
  EXPECT_EQ(members(choice), (Ranks{0, 2}));
  EXPECT_EQ(choice.schedule, (std::vector<EventId>{{2, 0}, {0, 0}}));
}

TEST(Group, HasAWriterOfTheValueThatAWriterRead) {
  const Execution execution{
      .ranks = {{read(0, 7)}, {read(1, 5), set(0, 7), read(1, 9)}, {set(1, 5)}, {set(1, 9)}},
      .syncs = {}};
  const Choice choice = choose_group(execution, 0, solve_with_z3, kLimit);
  EXPECT_EQ(choice.state, Choice::State::Found);
  // Rank 1 is needed up to its write: what it read later is not.
  EXPECT_EQ(members(choice), (Ranks{0, 1, 2}));
  EXPECT_EQ(choice.prefix, (Prefix{1, 2, 1, kExternal}));
}

TEST(Group, NeedsMoreThanAWriterOfEachValue) {
  // Rank 0 finds 1, 2, 1. Rank 1 wrote 1 once, so a second writer of 1 is needed.
  const Execution execution{
      .ranks = {{read(0, 1), read(0, 2), read(0, 1)}, {set(0, 1)}, {set(0, 2)}, {set(0, 1)}},
      .syncs = {}};
  const Choice choice = choose_group(execution, 0, solve_with_z3, kLimit);
  EXPECT_EQ(choice.state, Choice::State::Found);
  EXPECT_EQ(members(choice), (Ranks{0, 1, 2, 3}));
  EXPECT_GE(choice.rounds, 2u);
  EXPECT_TRUE(holds(execution, choice.prefix, choice.schedule));
}

TEST(Group, FollowsSynchronizationThroughExternalRanks) {
  // Rank 1 sets 1 and then, through rank 2, rank 3 sets 2: after both, rank 0 cannot find 1.
  Execution execution{.ranks = {{sync(), read(0, 1), read(1, 3)},
                                {set(0, 1), sync()},
                                {sync(), sync()},
                                {sync(), set(0, 2), set(1, 3), sync()},
                                {set(0, 1)}},
                      .syncs = {{{{1, 1}}, {{2, 0}}}, {{{2, 1}}, {{3, 0}}}, {{{3, 3}}, {{0, 0}}}}};
  execution.ranks[1][0].time = 1;  // looks best, but is overwritten
  execution.ranks[0][1].time = 2;
  execution.ranks[4][0].time = 3;
  const Choice choice = choose_group(execution, 0, solve_with_z3, kLimit);
  EXPECT_EQ(choice.state, Choice::State::Found);
  EXPECT_EQ(members(choice), (Ranks{0, 1, 3, 4}));
}

TEST(Group, HasTheSendersOfMessages) {
  const Execution execution{
      .ranks = {{sync()}, {sync(), sync()}, {sync()}, {sync(), sync()}},
      .syncs = {
          {{{1, 1}}, {{0, 0}}, true}, {{{2, 0}}, {{1, 0}}, true}, {{{3, 0}}, {{1, 1}}, false}}};
  const Choice choice = choose_group(execution, 0, solve_with_z3, kLimit);
  EXPECT_EQ(choice.state, Choice::State::Found);
  EXPECT_EQ(members(choice), (Ranks{0, 1, 2}));
}

TEST(Group, HasAllThatAddedToASum) {
  const Execution execution{
      .ranks = {{read(0, 6)}, {initial(0, 0)}, {add(0, 1)}, {add(0, 2)}, {add(0, 3)}}, .syncs = {}};
  const Choice choice = choose_group(execution, 0, solve_with_z3, kLimit);
  EXPECT_EQ(choice.state, Choice::State::Found);
  EXPECT_EQ(members(choice), (Ranks{0, 1, 2, 3, 4}));
  Execution part = execution;
  part.ranks[0][0].reads = 5;
  const Choice smaller = choose_group(part, 0, solve_with_z3, kLimit);
  EXPECT_EQ(smaller.state, Choice::State::Found);
  EXPECT_TRUE(holds(part, smaller.prefix, smaller.schedule));
}

TEST(Group, ReportsContradictions) {
  // No order of the writes explains both readers.
  const Execution execution{.ranks = {{read(0, 1), read(0, 2), read(1, 9)},
                                      {read(0, 2), read(0, 1), set(1, 9)},
                                      {set(0, 1)},
                                      {set(0, 2)}},
                            .syncs = {}};
  const Choice choice = choose_group(execution, 0, solve_with_z3, kLimit);
  EXPECT_EQ(choice.state, Choice::State::NoSchedule);
  EXPECT_FALSE(choice.reads.empty());
}

TEST(Group, GivesUpInTime) {
  // In the order of the times, 6 overwrites 7 before rank 0 reads it.
  Execution execution{.ranks = {{read(1, 1), read(0, 7)}, {set(0, 7)}, {set(0, 6), set(1, 1)}},
                      .syncs = {}};
  execution.ranks[0][0].time = execution.ranks[0][1].time = 3;
  execution.ranks[2][0].time = execution.ranks[2][1].time = 2;
  EXPECT_EQ(choose_group(execution, 0, solve_with_z3, kLimit).state, Choice::State::Found);
  const Choice late = choose_group(execution, 0, solve_with_z3, 0);
  EXPECT_EQ(late.state, Choice::State::GaveUp);
  EXPECT_EQ(late.reason, "the time limit is over");
  const Solver tired = [](const Problem&, double) {
    return Answer{.state = Answer::State::GaveUp, .reason = "tired"};
  };
  EXPECT_EQ(choose_group(execution, 0, tired, kLimit).reason, "tired");
}

// --- random executions

// Happens once, in one random order, so that at least this order explains all of it. `broken`: one
// value is then changed.
Execution random_execution(std::mt19937& random, bool broken) {
  const auto below = [&](unsigned limit) { return static_cast<std::uint32_t>(random() % limit); };
  Execution execution;
  const std::uint32_t ranks = 2 + below(3), cells = 1 + below(2), values = 1 + below(3);
  execution.ranks.resize(ranks);
  std::map<Cell, std::int64_t> memory;
  std::vector<std::vector<EventId>> delayed(ranks);  // pending accesses that have not happened
  std::uint64_t time = 0;
  for (Cell cell = 0; cell < cells; ++cell)
    if (below(2) == 0) {
      execution.ranks[below(ranks)].push_back(initial(cell, 0));
      memory[cell] = 0;
    }
  const auto happen = [&](EventId id) {
    Event& event = execution.ranks[id.rank][id.index];
    event.time = ++time;
    const auto found = memory.find(event.cell);
    if (event.reads) {
      if (found == memory.end()) {
        event.reads.reset();
        if (event.write == Event::Write::None) event.cell = kNoCell, event.pending = false;
      } else {
        event.reads = found->second;
      }
    }
    if (event.write == Event::Write::Add && found == memory.end()) event.write = Event::Write::Set;
    if (event.write == Event::Write::Set || event.write == Event::Write::Any)
      memory[event.cell] = event.operand;
    if (event.write == Event::Write::Add) memory[event.cell] += event.operand;
  };
  const unsigned steps = 3 + below(8);
  for (unsigned step = 0; step < steps; ++step) {
    const std::uint32_t rank = below(ranks);
    std::vector<Event>& events = execution.ranks[rank];
    const auto next = [&] { return EventId{rank, static_cast<std::uint32_t>(events.size())}; };
    const unsigned what = below(10);
    if (what == 0) {  // a message, or a synchronization
      const std::uint32_t to = below(ranks);
      if (to == rank) continue;
      for (const EventId& id : delayed[rank]) {
        happen(id);
        if (execution.ranks[rank][id.index].pending)
          execution.ranks[rank][id.index].until = next().index;
      }
      delayed[rank].clear();
      execution.syncs.push_back({{next()},
                                 {{to, static_cast<std::uint32_t>(execution.ranks[to].size())}},
                                 below(3) == 0});
      events.push_back(sync());
      execution.ranks[to].push_back(sync());
      continue;
    }
    Event event{.cell = below(cells)};
    if (what < 5) event.reads = 0;
    if (what >= 5 || what == 1) {
      event.write = below(4) == 0   ? Event::Write::Add
                    : below(8) == 0 ? Event::Write::Any
                                    : Event::Write::Set;
      event.operand = 1 + below(values);
    }
    const EventId id = next();
    if (below(4) == 0) {  // a pending one, perhaps in order with the last pending one
      event.pending = true;
      if (!delayed[rank].empty() && below(2) == 0) event.after = delayed[rank].back().index;
      events.push_back(event);
      delayed[rank].push_back(id);
    } else {
      events.push_back(event);
      happen(id);
    }
  }
  for (const std::vector<EventId>& rest : delayed)
    for (const EventId& id : rest) happen(id);
  if (broken)
    for (std::vector<Event>& events : execution.ranks)
      for (Event& event : events)
        if (event.reads && below(3) == 0) event.reads = below(4);
  return execution;
}

// A receive that found nothing to read became a synchronization: no pending event follows it.
void drop_bad_after(Execution& execution) {
  for (std::vector<Event>& events : execution.ranks)
    for (Event& event : events)
      if (event.after != kNone && !events[event.after].pending) event.after = kNone;
}

TEST(Group, AgreesWithAllInterleavings) {
  std::mt19937 random(1);
  int explained = 0, unexplained = 0, without_solver = 0;
  for (int i = 0; i < 2000; ++i) {
    Execution execution = random_execution(random, i % 2 == 1);
    drop_bad_after(execution);
    const Order order(execution);
    Prefix prefix;
    for (const std::vector<Event>& events : execution.ranks)
      prefix.push_back(random() % 3 == 0 ? kExternal
                                         : static_cast<std::uint32_t>(
                                               events.size() - random() % (events.size() / 2 + 1)));
    close(order, prefix);
    for (std::uint32_t rank = 0; rank < prefix.size(); ++rank)  // initial events are always there
      for (std::uint32_t index = 0;
           prefix[rank] != kExternal && index < execution.ranks[rank].size() &&
           execution.ranks[rank][index].initial;
           ++index)
        prefix[rank] = std::max(prefix[rank], index + 1);
    Execution alone = execution;  // the search checks messages itself
    for (Sync& sync : alone.syncs) sync.data = false;
    const Problem problem = make_problem(alone, order, prefix);
    const Answer answer = solve_with_z3(problem, kLimit);
    ASSERT_NE(answer.state, Answer::State::GaveUp) << answer.reason;
    const bool expected = explains(alone, prefix);
    ASSERT_EQ(answer.state == Answer::State::Explained, expected) << "execution " << i;
    (expected ? explained : unexplained)++;
    if (const auto by_time = schedule_by_time(problem)) {
      ASSERT_TRUE(expected) << "execution " << i;
      std::vector<EventId> schedule;
      for (const std::uint32_t event : *by_time) schedule.push_back(problem.ids[event]);
      ASSERT_TRUE(holds(alone, prefix, schedule)) << "execution " << i;
      ++without_solver;
    }
    if (expected) {
      std::vector<EventId> schedule;
      for (const std::uint32_t event : answer.schedule) schedule.push_back(problem.ids[event]);
      ASSERT_TRUE(holds(alone, prefix, schedule)) << "execution " << i;
    } else {
      ASSERT_FALSE(answer.reads.empty()) << "execution " << i;
    }
  }
  EXPECT_GT(explained, 300);
  EXPECT_GT(unexplained, 300);
  EXPECT_GT(without_solver, 300);
  EXPECT_LT(without_solver, explained);
}

TEST(Group, IsEnoughInRandomExecutions) {
  std::mt19937 random(2);
  int smaller = 0;
  for (int i = 0; i < 1000; ++i) {
    Execution execution = random_execution(random, false);
    drop_bad_after(execution);
    const std::uint32_t failed = static_cast<std::uint32_t>(random() % execution.ranks.size());
    const Choice choice = choose_group(execution, failed, solve_with_z3, kLimit);
    // The whole run explains itself, so there is always a group.
    ASSERT_EQ(choice.state, Choice::State::Found) << "execution " << i;
    ASSERT_EQ(choice.prefix[failed], execution.ranks[failed].size());
    ASSERT_TRUE(explains(execution, choice.prefix)) << "execution " << i;
    ASSERT_TRUE(holds(execution, choice.prefix, choice.schedule)) << "execution " << i;
    smaller += members(choice).size() < execution.ranks.size();
  }
  EXPECT_GT(smaller, 300);
}

TEST(Group, FindsAContradictionOnlyIfThereIsOne) {
  std::mt19937 random(3);
  int none = 0;
  for (int i = 0; i < 1000; ++i) {
    Execution execution = random_execution(random, true);
    drop_bad_after(execution);
    const std::uint32_t failed = static_cast<std::uint32_t>(random() % execution.ranks.size());
    const Choice choice = choose_group(execution, failed, solve_with_z3, kLimit);
    ASSERT_NE(choice.state, Choice::State::GaveUp);
    ASSERT_EQ(choice.state == Choice::State::Found, explains(execution, choice.prefix))
        << "execution " << i;
    none += choice.state == Choice::State::NoSchedule;
  }
  EXPECT_GT(none, 30);
}

}  // namespace
}  // namespace photofinish::group
