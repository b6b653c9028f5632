// Compares the analysis with the twin (world.h) on random executions.
//
// PHOTOFINISH_RANDOM_EXECUTIONS: their total number (default 20000). PHOTOFINISH_RANDOM_SEED: the
// seed (default 1).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "../detect/random_executions.h"
#include "frontend/shmem/table/shmem_call.h"
#include "world.h"

namespace photofinish::shmem_testing {
namespace {

constexpr std::uint64_t kData = 0, kFlags = 128, kCounters = 192, kTallies = 224, kLocks = 256,
                        kNonblocking = 288, kOrigins = kPrivate + 64;
constexpr int kWords = 3;

// What the steps so far permit.
struct State {
  std::uint64_t value = 100;  // every flag has another value
  std::set<std::pair<int, std::uint64_t>> read_tallies;
};

// One step, decoded from random numbers. A step that is not permitted has no effect.
struct Step {
  std::uint32_t what = 0, pe = 0, target = 0, word = 0, how = 0;
};

void operate(World& w, State& state, const Step& step) {
  const int pe = static_cast<int>(step.pe) % w.size();
  const int target = static_cast<int>(step.target) % w.size();
  const std::uint64_t word = step.word % kWords * 8;
  const std::uint64_t data = (step.how & 4) != 0 ? kStatic + word : kData + word;
  const How how{.context = static_cast<int>(step.how & 1),
                .nonblocking = (step.how & 2) != 0,
                .origin = (step.how & 8) != 0 ? kOrigins + word : 0};
  const How plain{.context = how.context};
  switch (step.what % 24) {
    case 0:
    case 1:
      return w.put(pe, target, data, (step.how & 16) != 0 ? 16 : 8, how);
    case 2:
    case 3:
    case 4:
      return w.p(pe, target, kFlags + word, ++state.value, plain);
    case 5:
      return w.get(pe, target, data, 8, how);
    case 6:
      return w.put_signal(pe, target, data, 8, kFlags + 24 + word, ++state.value,
                          World::Signal::Set, how);
    case 7:
      return w.atomic(pe, target, kCounters + word, ShmemCall::shmem_atomic_fetch_add, 1, plain);
    case 8:
      if ((step.how & 2) != 0)
        return w.atomic(pe, target, kCounters + word, ShmemCall::shmem_atomic_fetch, 0, plain);
      // Its value is known only when it is complete, so nothing else reads it.
      return w.atomic(pe, target, kNonblocking + word, ShmemCall::shmem_atomic_fetch_add_nbi, 1,
                      {.context = how.context, .origin = how.origin});
    case 9:
      if (state.read_tallies.contains({target, word})) return;
      return w.atomic(pe, target, kTallies + word, ShmemCall::shmem_atomic_inc, 0, plain);
    case 10:
      // A sum shows all its parts only if no other is missing.
      state.read_tallies.insert({pe, word});
      return w.wait_until(pe, kTallies + word);
    case 11:
    case 12:
    case 13:
      if (w.value(pe, kFlags + word) != 0) w.wait_until(pe, kFlags + word);
      return;
    case 14:
      if (w.value(pe, kFlags + 24 + word) != 0) w.signal_wait_until(pe, kFlags + 24 + word);
      return;
    case 15:
    case 16:
      return w.fence(pe, how.context);
    case 17:
      return w.quiet(pe, how.context);
    case 18:
      return w.load(pe, data);
    case 19:
      return w.store(pe, (step.how & 8) != 0 ? kFlags + word : data);
    case 20:
      if ((step.how & 1) != 0) return w.load_private(pe, kOrigins + word);
      return w.store_private(pe, kOrigins + word);
    case 21:
      if (w.holds(pe, kLocks)) return w.clear_lock(pe, kLocks);
      if (!w.is_locked(kLocks)) w.set_lock(pe, kLocks);
      return;
    case 22: {
      const std::vector<int> team{0, w.size() - 1};
      return (step.how & 1) != 0 ? w.barrier(team) : w.sync(team);
    }
    default:
      state.read_tallies.clear();
      return (step.how & 1) != 0 ? w.barrier_all() : w.sync_all();
  }
}

rc::Gen<std::vector<Step>> steps() {
  return rc::gen::container<std::vector<Step>>(
      rc::gen::build<Step>(rc::gen::set(&Step::what, rc::gen::inRange<std::uint32_t>(0, 24)),
                           rc::gen::set(&Step::pe, rc::gen::inRange<std::uint32_t>(0, 3)),
                           rc::gen::set(&Step::target, rc::gen::inRange<std::uint32_t>(0, 3)),
                           rc::gen::set(&Step::word, rc::gen::inRange<std::uint32_t>(0, kWords)),
                           rc::gen::set(&Step::how, rc::gen::inRange<std::uint32_t>(0, 32))));
}

std::string difference(const World& world, const std::set<Race>& found) {
  const std::set<Race> races = world.races();
  std::set<Race> missed, added;
  std::set_difference(races.begin(), races.end(), found.begin(), found.end(),
                      std::inserter(missed, missed.end()));
  std::set_difference(found.begin(), found.end(), races.begin(), races.end(),
                      std::inserter(added, added.end()));
  return "missed:\n" + text(missed) + "invented:\n" + text(added) + world.text();
}

TEST(ShmemRandom, AgreesWithTheDefinition) {
  int racing = 0, free = 0, hidden = 0;
  hold_for_random_executions("OpenSHMEM", 2, [&] {
    World world(3);
    State state;
    for (const Step& step : *steps()) operate(world, state, step);
    const std::set<Race> races = world.races();
    ++(races.empty() ? free : racing);
    if (world.found() != races) RC_FAIL(difference(world, world.found()));
    // With a period at each sync point, what is known only later may hide a race. It must never add
    // one.
    const std::set<Race> early = world.found(0);
    if (early != races) ++hidden;
    if (!std::includes(races.begin(), races.end(), early.begin(), early.end()))
      RC_FAIL("periods: " + difference(world, early));
  });
  std::cout << racing << " with races, " << free << " without, " << hidden
            << " hidden by periods\n";
  EXPECT_GT(racing, free / 10);
  EXPECT_GT(free, racing / 10);
}

}  // namespace
}  // namespace photofinish::shmem_testing
