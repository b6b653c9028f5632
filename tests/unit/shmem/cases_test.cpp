// Every row of the tables in docs/internals/openshmem.md: a racy program and a correct one. Both
// the analysis and the twin (world.h) must agree with the verdict.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "frontend/shmem/table/shmem_call.h"
#include "world.h"

namespace photofinish::shmem_testing {
namespace {

constexpr std::uint64_t kX = 0, kY = 8, kFlag = 128, kFlag2 = 136, kAck = 144, kCount = 152,
                        kLock = 160, kSync = 192, kSync2 = 200;

struct ShmemCase {
  std::string name;
  bool racy = false;
  std::function<void(World&)> run;
  int pes = 3;
};

std::vector<ShmemCase> completion_cases() {
  return {
      {"put, barrier_all, load", false,
       [](World& w) { w.put(0, 1, kX), w.barrier_all(), w.load(1, kX); }},
      {"put, sync_all, load", true, [](World& w) { w.put(0, 1, kX), w.sync_all(), w.load(1, kX); }},
      {"put, quiet, sync_all, load", false,
       [](World& w) { w.put(0, 1, kX), w.quiet(0), w.sync_all(), w.load(1, kX); }},
      {"put, fence, sync_all, load", true,
       [](World& w) { w.put(0, 1, kX), w.fence(0), w.sync_all(), w.load(1, kX); }},
      {"put without any order", true, [](World& w) { w.put(0, 1, kX), w.load(1, kX); }},
      {"put to static data, barrier_all, load", false,
       [](World& w) { w.put(0, 1, kStatic), w.barrier_all(), w.load(1, kStatic); }},
      {"put to static data, sync_all, load", true,
       [](World& w) { w.put(0, 1, kStatic), w.sync_all(), w.load(1, kStatic); }},
      {"put leaves its origin free at return", false,
       [](World& w) { w.put(0, 1, kX, 8, {.origin = kPrivate}), w.store_private(0, kPrivate); }},
      {"put_nbi uses its origin", true,
       [](World& w) {
         w.put(0, 1, kX, 8, {.nonblocking = true, .origin = kPrivate});
         w.store_private(0, kPrivate);
       }},
      {"put_nbi leaves its origin free at quiet", false,
       [](World& w) {
         w.put(0, 1, kX, 8, {.nonblocking = true, .origin = kPrivate});
         w.quiet(0);
         w.store_private(0, kPrivate);
       }},
      {"fence does not free the origin of put_nbi", true,
       [](World& w) {
         w.put(0, 1, kX, 8, {.nonblocking = true, .origin = kPrivate});
         w.fence(0);
         w.store_private(0, kPrivate);
       }},
      {"get is complete at return", false,
       [](World& w) {
         w.get(0, 1, kX, 8, {.origin = kPrivate});
         w.load_private(0, kPrivate);
         w.sync_all();
         w.store(1, kX);
       }},
      {"get_nbi used before quiet", true,
       [](World& w) {
         w.get(0, 1, kX, 8, {.nonblocking = true, .origin = kPrivate});
         w.load_private(0, kPrivate);
       }},
      {"get_nbi used after fence", true,
       [](World& w) {
         w.get(0, 1, kX, 8, {.nonblocking = true, .origin = kPrivate});
         w.fence(0);
         w.load_private(0, kPrivate);
       }},
      {"get_nbi used after quiet", false,
       [](World& w) {
         w.get(0, 1, kX, 8, {.nonblocking = true, .origin = kPrivate});
         w.quiet(0);
         w.load_private(0, kPrivate);
       }},
      {"get_nbi, sync_all, store at the target", true,
       [](World& w) { w.get(0, 1, kX, 8, {.nonblocking = true}), w.sync_all(), w.store(1, kX); }},
      {"fetching atomic _nbi used before quiet", true,
       [](World& w) {
         w.atomic(0, 1, kCount, ShmemCall::shmem_atomic_fetch_add_nbi, 1, {.origin = kPrivate});
         w.load_private(0, kPrivate);
       }},
      {"fetching atomic _nbi used after quiet", false,
       [](World& w) {
         w.atomic(0, 1, kCount, ShmemCall::shmem_atomic_fetch_add_nbi, 1, {.origin = kPrivate});
         w.quiet(0);
         w.load_private(0, kPrivate);
       }},
      {"two puts of one PE", true, [](World& w) { w.put(0, 1, kX), w.put(0, 1, kX); }},
      {"two puts of one PE, quiet between", false,
       [](World& w) { w.put(0, 1, kX), w.quiet(0), w.put(0, 1, kX); }},
      {"two puts of one PE, fence between", false,
       [](World& w) { w.put(0, 1, kX), w.fence(0), w.put(0, 1, kX); }},
      {"put and get of one PE, fence between", true,
       [](World& w) { w.put(0, 1, kX), w.fence(0), w.get(0, 1, kX); }},
      {"put and get of one PE, quiet between", false,
       [](World& w) { w.put(0, 1, kX), w.quiet(0), w.get(0, 1, kX); }},
      {"puts of two PEs", true, [](World& w) { w.put(0, 1, kX), w.put(2, 1, kX); }},
      {"gets of two PEs", false, [](World& w) { w.get(0, 1, kX), w.get(2, 1, kX); }},
      {"finalize completes", false, [](World& w) { w.put(0, 1, kX), w.finalize(), w.load(1, kX); }},
      {"malloc completes and synchronizes", false,
       [](World& w) { w.put(0, 1, kX), w.malloc(), w.load(1, kX); }},
      {"free completes and synchronizes", false,
       [](World& w) { w.put(0, 1, kX), w.free(kX, 64), w.malloc(), w.load(1, kX); }},
      {"put into a freed block", true, [](World& w) { w.free(kX, 64), w.put(0, 1, kX); }},
  };
}

std::vector<ShmemCase> flag_cases() {
  const auto flag = [](World& w, auto order) {
    w.put(0, 1, kX);
    order();
    w.p(0, 1, kFlag, 1);
    w.wait_until(1, kFlag);
    w.load(1, kX);
  };
  return {
      {"flag without order", true, [=](World& w) { flag(w, [] {}); }},
      {"flag after fence", false, [=](World& w) { flag(w, [&] { w.fence(0); }); }},
      {"flag after quiet", false, [=](World& w) { flag(w, [&] { w.quiet(0); }); }},
      {"wait for another element", true,
       [](World& w) {
         w.put(0, 1, kX), w.quiet(0), w.p(0, 1, kFlag, 1);
         w.wait_until(1, kFlag2), w.load(1, kX);
       }},
      {"polling with loads", true,
       [](World& w) {
         w.put(0, 1, kX), w.quiet(0), w.p(0, 1, kFlag, 1);
         w.load(1, kFlag), w.load(1, kX);
       }},
      {"the owner clears the flag after it saw it", false,
       [](World& w) { w.p(0, 1, kFlag, 1), w.wait_until(1, kFlag), w.store(1, kFlag); }},
      {"the owner clears the flag without waiting", true,
       [](World& w) { w.p(0, 1, kFlag, 1), w.store(1, kFlag); }},
      {"flag and answer, twice", false,
       [](World& w) {
         for (int i = 0; i < 2; ++i) {
           w.put(0, 1, kX), w.fence(0), w.p(0, 1, kFlag, 1);
           w.wait_until(1, kFlag), w.load(1, kX), w.store(1, kFlag);
           w.p(1, 0, kAck, 1);
           w.wait_until(0, kAck), w.store(0, kAck);
         }
       }},
      {"flag twice without an answer", true,
       [](World& w) {
         for (int i = 0; i < 2; ++i) {
           w.put(0, 1, kX), w.fence(0), w.p(0, 1, kFlag, 1);
           w.wait_until(1, kFlag), w.load(1, kX), w.store(1, kFlag);
         }
       }},
      {"fence orders for the target only: third PE", true,
       [](World& w) {
         w.put(0, 1, kX), w.fence(0), w.p(0, 2, kFlag, 1);
         w.wait_until(2, kFlag), w.get(2, 1, kX);
       }},
      {"quiet orders for a third PE", false,
       [](World& w) {
         w.put(0, 1, kX), w.quiet(0), w.p(0, 2, kFlag, 1);
         w.wait_until(2, kFlag), w.get(2, 1, kX);
       }},
      {"third PE by way of the target", false,
       [](World& w) {
         w.put(0, 1, kX), w.fence(0), w.p(0, 1, kFlag, 1);
         w.wait_until(1, kFlag), w.p(1, 2, kFlag, 1);
         w.wait_until(2, kFlag), w.get(2, 1, kX);
       }},
      {"fence of another context", true,
       [](World& w) {
         w.put(0, 1, kX, 8, {.context = 1}), w.fence(0), w.p(0, 1, kFlag, 1);
         w.wait_until(1, kFlag), w.load(1, kX);
       }},
      {"fence of the context, flag of another", true,
       [](World& w) {
         w.put(0, 1, kX, 8, {.context = 1}), w.fence(0, 1), w.p(0, 1, kFlag, 1);
         w.wait_until(1, kFlag), w.load(1, kX);
       }},
      {"fence and flag of the context", false,
       [](World& w) {
         w.put(0, 1, kX, 8, {.context = 1}), w.fence(0, 1), w.p(0, 1, kFlag, 1, {.context = 1});
         w.wait_until(1, kFlag), w.load(1, kX);
       }},
      {"put to static data, fence, flag in the heap", false,
       [](World& w) {
         w.put(0, 1, kStatic), w.fence(0), w.p(0, 1, kFlag, 1);
         w.wait_until(1, kFlag), w.load(1, kStatic);
       }},
      {"fence does not order get_nbi before a flag", true,
       [](World& w) {
         w.get(0, 1, kX, 8, {.nonblocking = true}), w.fence(0), w.p(0, 1, kFlag, 1);
         w.wait_until(1, kFlag), w.store(1, kX);
       }},
      {"a PE hangs in wait_until", false,
       [](World& w) { w.p(0, 1, kFlag, 1), w.hang_in_wait(1, kFlag); }},
      {"put, quiet, MPI message, load", false,
       [](World& w) { w.put(0, 1, kX), w.quiet(0), w.message(0, 1), w.load(1, kX); }},
      {"put, fence, MPI message, load", true,
       [](World& w) { w.put(0, 1, kX), w.fence(0), w.message(0, 1), w.load(1, kX); }},
      {"wait_until_all", false,
       [](World& w) {
         w.put(0, 1, kX), w.fence(0), w.p(0, 1, kFlag, 1);
         w.put(2, 1, kY), w.fence(2), w.p(2, 1, kFlag2, 1);
         w.wait_until_all(1, {kFlag, kFlag2}), w.load(1, kX, 16);
       }},
      {"put_signal", false,
       [](World& w) {
         w.put_signal(0, 1, kX, 8, kFlag, 1), w.signal_wait_until(1, kFlag), w.load(1, kX);
       }},
      {"put_signal_nbi", false,
       [](World& w) {
         w.put_signal(0, 1, kX, 8, kFlag, 1, World::Signal::Set, {.nonblocking = true});
         w.signal_wait_until(1, kFlag), w.load(1, kX);
       }},
      {"put_signal_nbi uses its origin", true,
       [](World& w) {
         w.put_signal(0, 1, kX, 8, kFlag, 1, World::Signal::Set,
                      {.nonblocking = true, .origin = kPrivate});
         w.store_private(0, kPrivate);
       }},
      {"put and then p, without order", true,
       [](World& w) {
         w.put(0, 1, kX), w.p(0, 1, kFlag, 1), w.wait_until(1, kFlag), w.load(1, kX);
       }},
      {"put_signal does not order an earlier put", true,
       [](World& w) {
         w.put(0, 1, kY), w.put_signal(0, 1, kX, 8, kFlag, 1);
         w.signal_wait_until(1, kFlag), w.load(1, kX, 16);
       }},
      {"the second signal does not deliver the first data", true,
       [](World& w) {
         w.put_signal(0, 1, kX, 8, kFlag, 1), w.put_signal(0, 1, kY, 8, kFlag2, 1);
         w.signal_wait_until(1, kFlag2), w.load(1, kX, 16);
       }},
      {"put_signal after fence orders an earlier put", false,
       [](World& w) {
         w.put(0, 1, kY), w.fence(0), w.put_signal(0, 1, kX, 8, kFlag, 1);
         w.signal_wait_until(1, kFlag), w.load(1, kX, 16);
       }},
      {"signals that add up", false,
       [](World& w) {
         w.put_signal(0, 1, kX, 8, kFlag, 1, World::Signal::Add);
         w.put_signal(2, 1, kY, 8, kFlag, 1, World::Signal::Add);
         w.signal_wait_until(1, kFlag), w.load(1, kX, 16);
       }},
      {"signal of a PE to itself", false,
       [](World& w) {
         w.put_signal(0, 0, kX, 8, kFlag, 1), w.signal_wait_until(0, kFlag), w.load(0, kX);
       }},
  };
}

std::vector<ShmemCase> atomic_cases() {
  return {
      {"atomics of two PEs", false,
       [](World& w) {
         w.atomic(0, 1, kCount, ShmemCall::shmem_atomic_add, 1);
         w.atomic(2, 1, kCount, ShmemCall::shmem_atomic_fetch_add, 1);
       }},
      {"atomic and put", true,
       [](World& w) {
         w.atomic(0, 1, kCount, ShmemCall::shmem_atomic_add, 1), w.put(2, 1, kCount);
       }},
      {"atomic and get", true,
       [](World& w) { w.atomic(0, 1, kCount, ShmemCall::shmem_atomic_inc), w.get(2, 1, kCount); }},
      {"atomic fetch and get", false,
       [](World& w) {
         w.atomic(0, 1, kCount, ShmemCall::shmem_atomic_fetch), w.get(2, 1, kCount);
       }},
      {"atomic and load", true,
       [](World& w) { w.atomic(0, 1, kCount, ShmemCall::shmem_atomic_add, 1), w.load(1, kCount); }},
      {"atomic and store", true,
       [](World& w) { w.store(1, kCount), w.atomic(0, 1, kCount, ShmemCall::shmem_atomic_fetch); }},
      {"atomic, barrier, load", false,
       [](World& w) {
         w.atomic(0, 1, kCount, ShmemCall::shmem_atomic_add, 1), w.barrier_all(), w.load(1, kCount);
       }},
      {"atomic, sync, load", true,
       [](World& w) {
         w.atomic(0, 1, kCount, ShmemCall::shmem_atomic_add, 1), w.sync_all(), w.load(1, kCount);
       }},
      {"counter that the owner awaits", false,
       [](World& w) {
         for (const int pe : {0, 2})
           w.put(pe, 1, pe == 0 ? kX : kY), w.fence(pe),
               w.atomic(pe, 1, kCount, ShmemCall::shmem_atomic_inc);
         w.wait_until(1, kCount), w.load(1, kX, 16);
       }},
      {"atomic_set as flag, fetched by a third PE", false,
       [](World& w) {
         w.put(0, 1, kX), w.fence(0), w.atomic(0, 1, kFlag, ShmemCall::shmem_atomic_set, 1);
         w.atomic(2, 1, kFlag, ShmemCall::shmem_atomic_fetch), w.get(2, 1, kX);
       }},
      {"a fetching atomic behind a fence completes earlier puts", false,
       [](World& w) {
         w.put(0, 1, kX), w.fence(0), w.atomic(0, 1, kCount, ShmemCall::shmem_atomic_fetch_add, 1);
         w.sync_all(), w.load(1, kX);
       }},
      {"a fetching atomic without a fence completes nothing else", true,
       [](World& w) {
         w.put(0, 1, kX), w.atomic(0, 1, kCount, ShmemCall::shmem_atomic_fetch_add, 1);
         w.sync_all(), w.load(1, kX);
       }},
      {"compare_swap as lock", false,
       [](World& w) {
         for (const int pe : {0, 2}) {
           w.compare_swap(pe, 1, kCount, 0, 1), w.put(pe, 1, kX), w.quiet(pe);
           w.atomic(pe, 1, kCount, ShmemCall::shmem_atomic_set, 0);
         }
       }},
  };
}

std::vector<ShmemCase> synchronization_cases() {
  const auto locked = [](World& w, int context, bool quiet) {
    for (const int pe : {0, 2}) {
      w.set_lock(pe, kLock), w.put(pe, 1, kX, 8, {.context = context});
      if (quiet) w.quiet(pe, context);
      w.clear_lock(pe, kLock);
    }
  };
  return {
      {"lock protects, clear completes", false, [=](World& w) { locked(w, 0, false); }},
      {"clear does not complete another context", true, [=](World& w) { locked(w, 1, false); }},
      {"another context that is quieted under the lock", false,
       [=](World& w) { locked(w, 1, true); }},
      {"lock orders what precedes it", false,
       [](World& w) {
         w.put(0, 1, kX), w.set_lock(0, kLock), w.clear_lock(0, kLock);
         w.set_lock(2, kLock), w.clear_lock(2, kLock), w.get(2, 1, kX);
       }},
      {"two locks", true,
       [](World& w) {
         w.set_lock(0, kLock), w.put(0, 1, kX), w.clear_lock(0, kLock);
         w.set_lock(2, kLock + 8), w.put(2, 1, kX), w.clear_lock(2, kLock + 8);
       }},
      {"context that is not quieted, barrier_all", true,
       [](World& w) { w.put(0, 1, kX, 8, {.context = 1}), w.barrier_all(), w.load(1, kX); }},
      {"quiet of another context", true,
       [](World& w) {
         w.put(0, 1, kX, 8, {.context = 1}), w.quiet(0), w.sync_all(), w.load(1, kX);
       }},
      {"ctx_quiet", false,
       [](World& w) {
         w.put(0, 1, kX, 8, {.context = 1}), w.quiet(0, 1), w.sync_all(), w.load(1, kX);
       }},
      {"ctx_destroy completes", false,
       [](World& w) {
         w.put(0, 1, kX, 8, {.context = 1}), w.destroy_context(0, 1), w.sync_all(), w.load(1, kX);
       }},
      {"barrier of a team", false,
       [](World& w) { w.put(0, 1, kX), w.barrier({0, 1}), w.load(1, kX); }},
      {"sync of a team", true, [](World& w) { w.put(0, 1, kX), w.sync({0, 1}), w.load(1, kX); }},
      {"barrier of a team without the target", true,
       [](World& w) { w.put(0, 1, kX), w.barrier({0, 2}), w.load(1, kX); }},
      {"sync of a team orders stores", false,
       [](World& w) { w.store(1, kX), w.sync({0, 1}), w.get(0, 1, kX); }},
      {"reduction orders", false,
       [](World& w) { w.store(1, kX), w.reduce({0, 1, 2}, kSync), w.get(0, 1, kX); }},
      {"reduction does not complete a put", true,
       [](World& w) { w.put(0, 1, kX), w.reduce({0, 1, 2}, kSync), w.load(1, kX); }},
      {"pSync reused", true,
       [](World& w) { w.reduce({0, 1, 2}, kSync), w.reduce({0, 1, 2}, kSync); }},
      {"pSync reused after a barrier", false,
       [](World& w) { w.reduce({0, 1, 2}, kSync), w.barrier_all(), w.reduce({0, 1, 2}, kSync); }},
      {"two pSync, alternating", false,
       [](World& w) {
         for (int i = 0; i < 2; ++i) w.reduce({0, 1, 2}, kSync), w.reduce({0, 1, 2}, kSync2);
       }},
      {"pSync of a broadcast reused", true,
       [](World& w) { w.broadcast(0, {0, 1, 2}, kSync), w.broadcast(0, {0, 1, 2}, kSync); }},
      {"pSync initialized without a barrier", true,
       [](World& w) {
         for (int pe = 0; pe < 3; ++pe) w.store(pe, kSync);
         w.reduce({0, 1, 2}, kSync);
       }},
      {"pSync initialized before a barrier", false,
       [](World& w) {
         for (int pe = 0; pe < 3; ++pe) w.store(pe, kSync);
         w.barrier_all(), w.reduce({0, 1, 2}, kSync);
       }},
      {"broadcast orders the root before the others", false,
       [](World& w) { w.store(0, kX), w.broadcast(0, {0, 1, 2}, kSync), w.get(1, 0, kX); }},
      {"broadcast does not order the others before the root", true,
       [](World& w) { w.store(1, kX), w.broadcast(0, {0, 1, 2}, kSync), w.get(0, 1, kX); }},
      {"shmem_ptr: store and load of another PE", true,
       [](World& w) { w.map(0, 1), w.store_mapped(0, 1, kX), w.load(1, kX); }},
      {"shmem_ptr: ordered by sync_all", false,
       [](World& w) { w.map(0, 1), w.store_mapped(0, 1, kX), w.sync_all(), w.load(1, kX); }},
      {"shmem_ptr: put and load of another PE", true,
       [](World& w) { w.map(2, 1), w.put(0, 1, kX), w.sync_all(), w.load_mapped(2, 1, kX); }},
  };
}

std::vector<ShmemCase> thread_cases() {
  const auto by_two = [](World& w, bool ordered) {
    w.continue_as(0, 2), w.put(0, 1, kX), w.quiet(0);
    if (ordered) w.hand_over(0, 1);
    w.continue_as(0, 1), w.p(0, 1, kFlag, 1);
    w.wait_until(1, kFlag), w.load(1, kX);
  };
  const auto read_by_two = [](World& w, bool ordered) {
    w.put(0, 1, kX), w.fence(0), w.p(0, 1, kFlag, 1);
    w.continue_as(1, 2), w.load(1, kY);  // starts before the wait
    w.continue_as(1, 1), w.wait_until(1, kFlag);
    if (ordered) w.hand_over(1, 2);
    w.continue_as(1, 2), w.load(1, kX);
  };
  return {
      {"a thread puts, another one sets the flag", false, [=](World& w) { by_two(w, true); }},
      {"the same, threads not ordered", true, [=](World& w) { by_two(w, false); }},
      {"a thread waits, another one loads", false, [=](World& w) { read_by_two(w, true); }},
      {"the same, loads without order", true, [=](World& w) { read_by_two(w, false); }},
  };
}

void check_all(const std::vector<ShmemCase>& cases) {
  for (const ShmemCase& one : cases) {
    World world(one.pes);
    one.run(world);
    EXPECT_EQ(!world.races().empty(), one.racy) << "twin: " << one.name << '\n' << world.text();
    for (const std::size_t period : {std::size_t{1} << 18, std::size_t{0}})
      EXPECT_TRUE(world.found(period) == world.races())
          << one.name << ", period " << period << "\nby definition:\n"
          << text(world.races()) << "found:\n"
          << text(world.found(period)) << world.text();
  }
}

TEST(ShmemCases, Completion) { check_all(completion_cases()); }
TEST(ShmemCases, Flags) { check_all(flag_cases()); }
TEST(ShmemCases, Atomics) { check_all(atomic_cases()); }
TEST(ShmemCases, Threads) { check_all(thread_cases()); }
TEST(ShmemCases, Synchronization) { check_all(synchronization_cases()); }

}  // namespace
}  // namespace photofinish::shmem_testing
