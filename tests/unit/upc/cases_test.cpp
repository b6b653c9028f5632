// Every row of the tables in docs/internals/upc.md: a racy program and a correct one. Both the
// analysis and the twin (world.h) must agree with the verdict.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "world.h"

namespace photofinish::upc_testing {
namespace {

constexpr std::uint64_t kX = 0, kY = 8, kFlag = 128, kLock = 256, kLock2 = 264, kSemaphore = 288,
                        kBlock = 320;

struct UpcCase {
  std::string name;
  bool racy = false;
  std::function<void(World&)> run;
};

const std::vector<UpcCase>& cases() {
  static const std::vector<UpcCase> all = {
      {"write, read by another", true, [](World& w) { w.write(0, 1, kX), w.read(1, 1, kX); }},
      {"two reads", false, [](World& w) { w.read(0, 1, kX), w.read(1, 1, kX); }},
      {"two remote writes", true, [](World& w) { w.write(0, 2, kX), w.write(1, 2, kX); }},
      {"barrier", false, [](World& w) { w.write(0, 1, kX), w.barrier(), w.read(1, 1, kX); }},
      {"fence is no synchronization", true,
       [](World& w) { w.write(0, 1, kX), w.fence(0), w.fence(1), w.read(1, 1, kX); }},
      {"write before notify, read after wait", false,
       [](World& w) {
         w.write(0, 1, kX), w.begin_split({0, 1, 2}), w.finish_split(), w.read(1, 1, kX);
       }},
      {"write before notify, read before wait", true,
       [](World& w) {
         w.write(0, 1, kX), w.begin_split({0, 1, 2}), w.read(1, 1, kX), w.finish_split();
       }},
      {"write after notify, read after wait", true,
       [](World& w) {
         w.begin_split({0, 1, 2}), w.write(0, 1, kX), w.finish_split(), w.read(1, 1, kX);
       }},
      {"notify of one, barrier of the others", false,
       [](World& w) {
         w.write(0, 1, kX), w.write(2, 1, kY), w.begin_split({0}), w.finish_split();
         w.read(1, 1, kX), w.read(1, 1, kY);
       }},
      {"write between notify of one and barrier of the others", true,
       [](World& w) { w.begin_split({0}), w.write(0, 1, kX), w.finish_split(), w.read(1, 1, kX); }},
      {"barrier after a split one", false,
       [](World& w) {
         w.begin_split({0}), w.write(0, 1, kX), w.finish_split(), w.barrier(), w.read(1, 1, kX);
       }},
      {"strict flag", false,
       [](World& w) {
         w.write(0, 1, kX), w.strict_write(0, 2, kFlag, 7), w.strict_read(1, 2, kFlag);
         w.read(1, 1, kX);
       }},
      {"strict flag read too early", true,
       [](World& w) {
         w.strict_read(1, 2, kFlag), w.write(0, 1, kX), w.strict_write(0, 2, kFlag, 7);
         w.read(1, 1, kX);
       }},
      {"write behind a strict flag", true,
       [](World& w) {
         w.strict_write(0, 2, kFlag, 7), w.write(0, 1, kX), w.strict_read(1, 2, kFlag);
         w.read(1, 1, kX);
       }},
      {"two strict writes", false,
       [](World& w) { w.strict_write(0, 1, kX, 1), w.strict_write(1, 1, kX, 2); }},
      {"strict write, relaxed read", true,
       [](World& w) { w.strict_write(0, 1, kX, 1), w.read(1, 1, kX); }},
      {"strict write, relaxed write", true,
       [](World& w) { w.strict_write(0, 1, kX, 1), w.write(2, 1, kX); }},
      {"strict read, relaxed read", false,
       [](World& w) { w.strict_read(0, 1, kX), w.read(1, 1, kX); }},
      {"atomics", false, [](World& w) { w.fetch_add(0, 1, kX, 1), w.fetch_add(2, 1, kX, 1); }},
      {"atomic and read", true, [](World& w) { w.fetch_add(0, 1, kX, 1), w.read(2, 1, kX); }},
      {"common lock", false,
       [](World& w) {
         w.lock(0, kLock), w.write(0, 1, kX), w.unlock(0, kLock);
         w.lock(1, kLock), w.write(1, 1, kX), w.unlock(1, kLock);
       }},
      {"two locks", true,
       [](World& w) {
         w.lock(0, kLock), w.write(0, 1, kX), w.unlock(0, kLock);
         w.lock(1, kLock2), w.write(1, 1, kX), w.unlock(1, kLock2);
       }},
      {"handed over under a lock", false,
       [](World& w) {
         w.write(0, 1, kX), w.lock(0, kLock), w.unlock(0, kLock);
         w.lock(1, kLock), w.unlock(1, kLock), w.read(1, 1, kX);
       }},
      {"written after the lock was released", true,
       [](World& w) {
         w.lock(0, kLock), w.unlock(0, kLock), w.write(0, 1, kX);
         w.lock(1, kLock), w.unlock(1, kLock), w.read(1, 1, kX);
       }},
      {"transfer without sync, barrier", true,
       [](World& w) { w.memput_nb(0, 1, kX, 2), w.barrier(), w.read(1, 1, kX); }},
      {"transfer, sync, barrier", false,
       [](World& w) { w.memput_nb(0, 1, kX, 2), w.sync(0, 2), w.barrier(), w.read(1, 1, kX); }},
      {"sync of another handle", true,
       [](World& w) {
         w.memput_nb(0, 1, kX, 2), w.memput_nb(0, 1, kY, 3), w.sync(0, 3), w.barrier();
         w.read(1, 1, kX);
       }},
      {"synci", false,
       [](World& w) {
         w.memput_nb(0, 1, kX, 1), w.memput_nb(0, 2, kY, 1), w.sync(0, 1), w.barrier();
         w.read(1, 1, kX), w.read(2, 2, kY);
       }},
      {"buffer of a transfer", true,
       [](World& w) { w.memput_nb(0, 1, kX, 2, kPrivate), w.store_private(0, kPrivate); }},
      {"buffer of a complete transfer", false,
       [](World& w) {
         w.memput_nb(0, 1, kX, 2, kPrivate), w.sync(0, 2), w.store_private(0, kPrivate);
       }},
      {"memput and memget overlap", true,
       [](World& w) { w.memput(0, 1, kX, 16), w.memget(2, 1, kY, 4); }},
      {"copies of one's own memory", true,
       [](World& w) { w.memget(1, 1, kX, 16), w.write(0, 1, kY); }},
      {"semaphore", false,
       [](World& w) {
         w.write(0, 1, kX), w.post(0, kSemaphore), w.take(1, kSemaphore), w.read(1, 1, kX);
       }},
      {"two producers", false,
       [](World& w) {
         w.write(0, 1, kX), w.write(2, 1, kY), w.post(0, kSemaphore), w.post(2, kSemaphore);
         w.take(1, kSemaphore), w.take(1, kSemaphore), w.read(1, 1, kX), w.read(1, 1, kY);
       }},
      {"too few units", true,
       [](World& w) {
         w.write(0, 1, kX), w.write(2, 1, kY), w.post(0, kSemaphore), w.post(2, kSemaphore);
         w.take(1, kSemaphore), w.read(1, 1, kX), w.read(1, 1, kY);
       }},
      {"collective with ALLSYNC", false,
       [](World& w) { w.write(0, 1, kX), w.broadcast(2, kX), w.read(0, 1, kX); }},
      {"memory that was freed", false,
       [](World& w) { w.write(0, 1, kX), w.alloc_free(0, 2, kBlock), w.write(2, 1, kX); }},
  };
  return all;
}

class UpcCases : public testing::TestWithParam<std::size_t> {};

TEST_P(UpcCases, Verdict) {
  const UpcCase& one = cases()[GetParam()];
  World world(3);
  one.run(world);
  EXPECT_EQ(!world.races().empty(), one.racy) << "twin: " << one.name;
  EXPECT_EQ(!world.found().empty(), one.racy) << one.name << "\n" << world.text();
  world.finalize();
  EXPECT_EQ(!world.found(0).empty(), one.racy) << "with finalize: " << one.name;
}

INSTANTIATE_TEST_SUITE_P(All, UpcCases, testing::Range<std::size_t>(0, cases().size()));

}  // namespace
}  // namespace photofinish::upc_testing
