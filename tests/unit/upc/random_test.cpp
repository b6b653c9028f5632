// Compares the analysis with the twin (world.h) on random executions.
//
// PHOTOFINISH_RANDOM_EXECUTIONS: their total number (default 20000). PHOTOFINISH_RANDOM_SEED: the
// seed (default 1).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <iostream>

#include "../detect/random_executions.h"
#include "world.h"

namespace photofinish::upc_testing {
namespace {

constexpr std::uint64_t kData = 0, kFlags = 128, kCounters = 192, kLocks = 256, kSemaphores = 288,
                        kBlocks = 320, kOrigins = kPrivate + 64;
constexpr std::uint64_t kWords = 3;

// What the steps so far permit.
struct State {
  std::uint64_t value = 100;  // every flag has another value
  std::int64_t handle = 1;
  std::vector<std::pair<int, std::int64_t>> handles;
};

// One step, decoded from random numbers. A step that is not permitted has no effect.
struct Step {
  std::uint32_t what = 0, thread = 0, owner = 0, word = 0, how = 0;
};

void operate(World& w, State& state, const Step& step) {
  const int thread = static_cast<int>(step.thread) % w.size();
  const int owner = static_cast<int>(step.owner) % w.size();
  const std::uint64_t word = step.word % kWords * 8;
  const std::uint64_t lock = kLocks + step.word % 2 * 8;
  switch (step.what % 22) {
    case 0:
    case 1:
    case 2:
      return w.write(thread, owner, kData + word);
    case 3:
    case 4:
    case 5:
      return w.read(thread, owner, kData + word);
    case 6:
      return (step.how & 1) != 0 ? w.memput(thread, owner, kData + word, 12)
                                 : w.memget(thread, owner, kData + word, 12);
    case 7: {
      const std::int64_t handle = (step.how & 1) != 0 ? 1 : ++state.handle;
      if (handle != 1) state.handles.push_back({thread, handle});
      const std::uint64_t origin = (step.how & 2) != 0 ? kOrigins + word : 0;
      return (step.how & 4) != 0 ? w.memput_nb(thread, owner, kData + word, handle, origin)
                                 : w.memget_nb(thread, owner, kData + word, handle, origin);
    }
    case 8:
      if ((step.how & 1) != 0) return w.sync(thread, 1);
      if (state.handles.empty()) return;
      w.sync(state.handles.back().first, state.handles.back().second);
      return state.handles.pop_back();
    case 9:
      return w.store_private(thread, kOrigins + word);
    case 10:
    case 11:
      return w.strict_write(thread, owner, kFlags + word, ++state.value);
    case 12:
    case 13:
    case 14:
      return w.strict_read(thread, owner, kFlags + word);
    case 15:
      // A strict word that is accessed relaxed, too.
      if ((step.how & 1) != 0) return w.fetch_add(thread, owner, kCounters + word, 1);
      return (step.how & 2) != 0 ? w.memget(thread, owner, kFlags + word, 8) : w.fence(thread);
    case 16:
    case 17:
      if (w.holder(lock) == thread) return w.unlock(thread, lock);
      if (w.holder(lock) < 0) w.lock(thread, lock);
      return;
    case 18:
      if ((step.how & 1) != 0) return w.post(thread, kSemaphores + word, 1 + (step.how & 2) / 2);
      if (w.can_take(kSemaphores + word)) w.take(thread, kSemaphores + word);
      return;
    case 19:
      if (w.is_split()) return w.finish_split();
      return w.begin_split((step.how & 1) != 0 ? std::set<int>{0, 1, 2} : std::set<int>{thread});
    case 20:
      return w.alloc_free(thread, owner, kBlocks + word);
    default:
      if (w.is_split()) return;
      return (step.how & 1) != 0 ? w.barrier() : w.broadcast(owner, kData + word);
  }
}

rc::Gen<std::vector<Step>> steps() {
  return rc::gen::container<std::vector<Step>>(
      rc::gen::build<Step>(rc::gen::set(&Step::what, rc::gen::inRange<std::uint32_t>(0, 22)),
                           rc::gen::set(&Step::thread, rc::gen::inRange<std::uint32_t>(0, 3)),
                           rc::gen::set(&Step::owner, rc::gen::inRange<std::uint32_t>(0, 3)),
                           rc::gen::set(&Step::word, rc::gen::inRange<std::uint32_t>(0, 3)),
                           rc::gen::set(&Step::how, rc::gen::inRange<std::uint32_t>(0, 8))));
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

TEST(UpcRandom, AgreesWithTheDefinition) {
  int racing = 0, free = 0, hidden = 0;
  hold_for_random_executions("UPC", 2, [&] {
    World world(3);
    State state;
    for (const Step& step : *steps()) operate(world, state, step);
    if (world.is_split()) world.finish_split();
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
}  // namespace photofinish::upc_testing
