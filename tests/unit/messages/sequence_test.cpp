// Executions reported process by process: the same races, and deadlocks without buffering exactly
// where a run of the model gets stuck.
#include <iostream>

#include "hold.h"
#include "steps.h"

namespace photofinish::testing {
namespace {

TEST(MessageSequence, SameRacesAndDeadlocks) {
  int stuck = 0, unsure = 0, portable = 0, cycles = 0;
  hold_for_each_focus([&](Focus focus) {
    const Program program = *programs(focus);
    const Execution execution = run(program);
    std::uint32_t seed = static_cast<std::uint32_t>(program.steps.size() * 977 + program.stop);
    const auto random = [&] { return (seed = seed * 1664525 + 1013904223) >> 16; };
    MessageRaces races(execution.size());
    MessageSequence sequence(execution.size(), MessageSequence::Sends::AsSeen, &races);
    report(execution, own_site, random, sequence, true);
    sequence.finish();
    RC_ASSERT(sequence.waiting() == 0u);
    races.finish();
    SitePairs found;
    for (const MessageRaceClass& race : races.races())
      found.insert({race.first.receive.site_key, race.first.other.site_key});
    if (any_cancelled_send(execution)) return;
    RC_ASSERT(found == sites_of(close(execution).pairs, own_site));

    MessageSequence unbuffered(execution.size(), MessageSequence::Sends::Unbuffered, nullptr);
    report(execution, own_site, random, unbuffered);
    unbuffered.finish();
    RC_ASSERT(unbuffered.waiting() == 0u);
    const auto ends = ends_unbuffered(execution);
    if (!ends) return;
    const auto is_sure = [](const WaitChain& chain) { return !chain.other_match; };
    const std::vector<WaitChain> reported = unbuffered.deadlocks();
    RC_ASSERT((reported.empty() && unbuffered.answers().empty() && !unbuffered.unsure()) == *ends);
    const auto sure = surely_stuck_unbuffered(execution);
    RC_ASSERT(std::any_of(reported.begin(), reported.end(), is_sure) == *sure);
    ++(*ends ? portable : *sure ? stuck : unsure);
    for (const WaitChain& chain : unbuffered.deadlocks()) {
      cycles += chain.cycle;
      for (std::size_t i = 0; i < chain.waits.size(); ++i)
        if (chain.cycle || i + 1 < chain.waits.size())
          RC_ASSERT(chain.waits[i].on == chain.waits[(i + 1) % chain.waits.size()].rank);
    }
  });
  std::cout << stuck << " would get stuck, " << unsure << " might, " << portable << " would not; "
            << cycles << " cycles\n";
}

}  // namespace
// A spawned or connected process has no steps that could be analyzed.
TEST(MessageSequence, WaitsForSomebodyOutside) {
  for (const auto sends : {MessageSequence::Sends::AsSeen, MessageSequence::Sends::Unbuffered}) {
    MessageSequence sequence(2, sends, nullptr);
    const auto acquire = [](std::uint64_t key, WorldRank from) {
      MessageStep step;
      step.kind = MessageStep::Kind::Acquire;
      step.key = key;
      step.from = std::make_shared<const std::vector<WorldRank>>(std::vector<WorldRank>{from});
      return step;
    };
    sequence.add(WorldRank(0), acquire(7, WorldRank(1)));
    sequence.add(WorldRank(1), acquire(8, kExternalRank));
    sequence.finish();
    EXPECT_TRUE(sequence.proven_deadlocks({}).empty());
    EXPECT_TRUE(sequence.deadlocks().empty());
  }
}

}  // namespace photofinish::testing
