// Every row of the tables in docs/internals/coarrays.md: a racy program and a correct one. Both the
// analysis and the twin (world.h) must agree with the verdict.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "world.h"

namespace photofinish::caf_testing {
namespace {

constexpr std::uint64_t kX = 0, kY = 8, kFlag = 128, kLock = 1, kLock2 = 2, kEvent = 3;

struct CafCase {
  std::string name;
  bool racy = false;
  std::function<void(World&)> run;
};

const std::vector<CafCase>& cases() {
  static const std::vector<CafCase> all = {
      {"put and put", true, [](World& w) { w.put(0, 2, kX), w.put(1, 2, kX); }},
      {"put and load", true, [](World& w) { w.put(0, 1, kX), w.load(1, kX); }},
      {"get and store", true, [](World& w) { w.get(0, 1, kX), w.store(1, kX); }},
      {"get and get", false, [](World& w) { w.get(0, 1, kX), w.get(2, 1, kX), w.load(1, kX); }},
      {"puts side by side", false, [](World& w) { w.put(0, 1, kX), w.put(2, 1, kY); }},
      {"puts that overlap", true, [](World& w) { w.put(0, 1, kX, 12), w.put(2, 1, kY); }},
      {"puts of one image", false, [](World& w) { w.put(0, 1, kX), w.put(0, 1, kX); }},
      {"sendget reads", true, [](World& w) { w.sendget(0, 1, kX, 2, kY), w.store(2, kY); }},
      {"sendget writes", true, [](World& w) { w.sendget(0, 1, kX, 2, kY), w.load(1, kX); }},
      {"sync all", false, [](World& w) { w.put(0, 1, kX), w.sync_all(), w.load(1, kX); }},
      {"sync memory", true,
       [](World& w) { w.put(0, 1, kX), w.sync_memory(0), w.sync_memory(1), w.load(1, kX); }},
      {"sync team", false, [](World& w) { w.put(0, 1, kX), w.sync_team(), w.load(1, kX); }},
      {"sync team of others", true,
       [](World& w) { w.put(2, 1, kX), w.sync_team(), w.load(1, kX); }},
      {"sync images", false,
       [](World& w) { w.put(0, 1, kX), w.sync_images({{0, {1}}, {1, {0}}}), w.load(1, kX); }},
      {"sync images before the put", true,
       [](World& w) { w.sync_images({{0, {1}}, {1, {0}}}), w.put(0, 1, kX), w.load(1, kX); }},
      {"sync images of a third", true,
       [](World& w) {
         w.put(0, 2, kX), w.sync_images({{0, {1}}, {1, {0, 2}}, {2, {1}}}), w.load(2, kX);
       }},
      {"sync images in turn", false,
       [](World& w) {
         w.put(0, 2, kX), w.sync_images({{0, {1}}, {1, {0}}});
         w.sync_images({{1, {2}}, {2, {1}}}), w.load(2, kX);
       }},
      {"the second sync images", false,
       [](World& w) {
         w.sync_images({{0, {1}}, {1, {0}}}), w.put(0, 1, kX);
         w.sync_images({{0, {1}}, {1, {0}}}), w.load(1, kX);
       }},
      {"common lock", false,
       [](World& w) {
         w.lock(0, kLock), w.put(0, 1, kX), w.unlock(0, kLock);
         w.lock(2, kLock), w.put(2, 1, kX), w.unlock(2, kLock);
       }},
      {"two locks", true,
       [](World& w) {
         w.lock(0, kLock), w.put(0, 1, kX), w.unlock(0, kLock);
         w.lock(2, kLock2), w.put(2, 1, kX), w.unlock(2, kLock2);
       }},
      {"handed over under a lock", false,
       [](World& w) {
         w.put(0, 1, kX), w.lock(0, kLock), w.unlock(0, kLock);
         w.lock(1, kLock), w.unlock(1, kLock), w.load(1, kX);
       }},
      {"put after the lock was released", true,
       [](World& w) {
         w.lock(0, kLock), w.unlock(0, kLock), w.put(0, 1, kX);
         w.lock(1, kLock), w.unlock(1, kLock), w.load(1, kX);
       }},
      {"event", false,
       [](World& w) { w.put(1, 0, kX), w.post(1, kEvent), w.wait(kEvent, 1), w.load(0, kX); }},
      {"event posted too early", true,
       [](World& w) { w.post(1, kEvent), w.put(1, 0, kX), w.wait(kEvent, 1), w.load(0, kX); }},
      {"two posts, until_count 2", false,
       [](World& w) {
         w.put(1, 0, kX), w.put(2, 0, kY), w.post(1, kEvent), w.post(2, kEvent);
         w.wait(kEvent, 2), w.load(0, kX), w.load(0, kY);
       }},
      {"two posts, until_count 1", true,
       [](World& w) {
         w.put(1, 0, kX), w.put(2, 0, kY), w.post(1, kEvent), w.post(2, kEvent);
         w.wait(kEvent, 1), w.load(0, kX), w.load(0, kY);
       }},
      {"two waits", false,
       [](World& w) {
         w.put(1, 0, kX), w.put(2, 0, kY), w.post(1, kEvent), w.post(2, kEvent);
         w.wait(kEvent, 1), w.wait(kEvent, 1), w.load(0, kX), w.load(0, kY);
       }},
      {"atomics", false,
       [](World& w) { w.atomic_define(0, 1, kX, 1), w.atomic_fetch_add(2, 1, kX, 1); }},
      {"atomic and load", true, [](World& w) { w.atomic_define(0, 1, kX, 1), w.load(1, kX); }},
      {"atomic read and load", false, [](World& w) { w.atomic_ref(0, 1, kX), w.load(1, kX); }},
      {"atomic flag", false,
       [](World& w) {
         w.put(0, 1, kX), w.atomic_define(0, 2, kFlag, 7), w.atomic_ref(1, 2, kFlag);
         w.load(1, kX);
       }},
      {"put behind an atomic flag", true,
       [](World& w) {
         w.atomic_define(0, 2, kFlag, 7), w.put(0, 1, kX), w.atomic_ref(1, 2, kFlag);
         w.load(1, kX);
       }},
      {"atomic flag read too early", true,
       [](World& w) {
         w.atomic_ref(1, 2, kFlag), w.put(0, 1, kX), w.atomic_define(0, 2, kFlag, 7);
         w.load(1, kX);
       }},
      {"co_sum", false, [](World& w) { w.put(0, 1, kX), w.sum(-1, kFlag), w.load(1, kX); }},
      {"co_sum writes", true, [](World& w) { w.get(0, 1, kX), w.sum(-1, kX); }},
      {"co_sum for one image", false,
       [](World& w) { w.put(0, 1, kX), w.sum(1, kFlag), w.load(1, kX); }},
      {"co_sum for another image", true,
       [](World& w) { w.put(0, 1, kX), w.sum(2, kFlag), w.load(1, kX); }},
      {"co_broadcast", false,
       [](World& w) { w.put(0, 1, kX), w.broadcast(0, kFlag), w.load(1, kX); }},
      {"co_broadcast of another image", true,
       [](World& w) { w.put(0, 1, kX), w.broadcast(2, kFlag), w.load(1, kX); }},
  };
  return all;
}

class CafCases : public testing::TestWithParam<std::size_t> {};

TEST_P(CafCases, Verdict) {
  const CafCase& one = cases()[GetParam()];
  World world(3);
  one.run(world);
  EXPECT_EQ(!world.races().empty(), one.racy) << "twin: " << one.name;
  EXPECT_EQ(!world.found().empty(), one.racy) << one.name << "\n" << world.text();
  world.finalize();
  EXPECT_EQ(!world.found(0).empty(), one.racy) << "with finalize: " << one.name;
}

// What precedes a call that does not return precedes what it has released.
TEST(CafHangs, CallsThatHaveNotReturnedRelease) {
  const CafCase all[] = {
      {"sync images", false,
       [](World& w) {
         w.store(1, kX), w.sync_images({{0, {1}}, {1, {0, 2}}}), w.hang(1);
         w.put(0, 1, kX), w.sync_images({{0, {1}}}), w.hang(0);
       }},
      {"sync images of a third", true,
       [](World& w) {
         w.store(1, kX), w.sync_images({{1, {0, 2}}}), w.hang(1);
         w.put(2, 1, kX);
       }},
      {"unlock", false,
       [](World& w) {
         w.lock(1, kLock), w.store(1, kX), w.unlock(1, kLock), w.hang(1);
         w.lock(0, kLock), w.put(0, 1, kX);
       }},
      {"event post", false,
       [](World& w) {
         w.put(1, 0, kX), w.post(1, kEvent), w.hang(1), w.wait(kEvent, 1), w.load(0, kX);
       }},
      {"co_broadcast", false,
       [](World& w) { w.put(0, 1, kX), w.broadcast(0, kFlag), w.hang(0), w.load(1, kX); }},
      {"co_sum", false,
       [](World& w) { w.put(0, 1, kX), w.sum(-1, kFlag), w.hang(0), w.load(1, kX); }},
  };
  for (const CafCase& one : all) {
    World world(3);
    one.run(world);
    EXPECT_EQ(!world.races().empty(), one.racy) << "twin: " << one.name;
    EXPECT_EQ(!world.found().empty(), one.racy) << one.name << "\n" << world.text();
  }
}

INSTANTIATE_TEST_SUITE_P(All, CafCases, testing::Range<std::size_t>(0, cases().size()));

}  // namespace
}  // namespace photofinish::caf_testing
