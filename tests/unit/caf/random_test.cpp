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

namespace photofinish::caf_testing {
namespace {

constexpr std::uint64_t kData = 0, kFlags = 128, kCounters = 192, kWords = 3;

// One step, decoded from random numbers. A step that is not permitted has no effect.
struct Step {
  std::uint32_t what = 0, image = 0, owner = 0, word = 0, how = 0;
};

void operate(World& w, std::uint64_t& value, const Step& step) {
  const int image = static_cast<int>(step.image) % w.size();
  const int owner = static_cast<int>(step.owner) % w.size();
  const std::uint64_t word = step.word % kWords * 8, lock = step.word % 2, event = step.word % 2;
  switch (step.what % 18) {
    case 0:
    case 1:
      return w.put(image, owner, kData + word, (step.how & 1) != 0 ? 12 : 8);
    case 2:
    case 3:
      return w.get(image, owner, kData + word, (step.how & 1) != 0 ? 12 : 8);
    case 4:
      return w.load(image, kData + word);
    case 5:
      return w.store(image, kData + word);
    case 6:
      return w.sendget(image, owner, kData + word, static_cast<int>(step.how) % w.size(), kData);
    case 7:
      return w.atomic_define(image, owner, kFlags + word, ++value);
    case 8:
      return w.atomic_ref(image, owner, kFlags + word);
    case 9:
      // An atomic integer that is read without atomics, too.
      if ((step.how & 1) != 0) return w.atomic_fetch_add(image, owner, kCounters + word, 1);
      return (step.how & 2) != 0 ? w.get(image, owner, kFlags + word) : w.sync_memory(image);
    case 10:
    case 11:
      if (w.holder(lock) == image) return w.unlock(image, lock);
      if (w.holder(lock) < 0) w.lock(image, lock);
      return;
    case 12:
      return w.post(image, event);
    case 13: {
      const std::int64_t until = 1 + (step.how & 1);
      if (w.can_wait(event, until)) w.wait(event, until);
      return;
    }
    case 14:
      if (image != owner) w.sync_images({{image, {owner}}, {owner, {image}}});
      return;
    case 15:
      if ((step.how & 1) != 0) return w.sync_team();
      return w.sync_images({{0, {1}}, {1, {0, 2}}, {2, {1}}});
    case 16:
      return (step.how & 1) != 0 ? w.broadcast(owner, kData + word)
                                 : w.sum(static_cast<int>(step.how / 2) - 1, kData + word);
    default:
      return w.sync_all();
  }
}

rc::Gen<std::vector<Step>> steps() {
  return rc::gen::container<std::vector<Step>>(
      rc::gen::build<Step>(rc::gen::set(&Step::what, rc::gen::inRange<std::uint32_t>(0, 18)),
                           rc::gen::set(&Step::image, rc::gen::inRange<std::uint32_t>(0, 3)),
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

TEST(CafRandom, AgreesWithTheDefinition) {
  int racing = 0, free = 0, hidden = 0;
  hold_for_random_executions("CAF", 2, [&] {
    World world(3);
    std::uint64_t value = 100;  // every flag has another value
    for (const Step& step : *steps()) operate(world, value, step);
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
}  // namespace photofinish::caf_testing
