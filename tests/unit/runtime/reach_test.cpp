// Compares the buffers of pending one-sided operations with a list: every pending buffer is
// reachable, and none once all operations are complete.
#include "runtime/reach.h"
#include "frontend/mpi/table/mpi_call.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace photofinish {
namespace {

struct InFlight {
  std::int64_t target;
  std::uint64_t begin, end;
};

Event operation(Call call, std::int64_t target) {
  Event event;
  event.clear();
  event.call = call;
  event.returned = true;
  event.fields.set(Field::win, 1);
  if (target >= 0) event.fields.set(Field::target, target);
  return event;
}

TEST(Reach, BuffersInFlightAreThoseOfTheList) {
  EXPECT_TRUE(rc::check([] {
    constexpr std::uint64_t kBase = 1 << 20, kBytes = 64;
    constexpr std::int64_t kTargets = 3;
    Reach reach;
    const Definitions definitions;
    std::vector<InFlight> all;
    std::uint64_t next = kBase;
    const auto compare = [&](bool exactly) {
      const auto [low, high] = reach.bounds();
      if (exactly && all.empty() && high != 0) RC_FAIL("bounds of nothing");
      for (const InFlight& one : all)
        if (one.begin < low || high < one.end) RC_FAIL("not in the bounds");
      for (std::uint64_t at = kBase - 1; at <= kBase + 2 * kBytes; ++at) {
        const bool expected = std::any_of(all.begin(), all.end(), [&](const InFlight& one) {
          return one.begin <= at && at < one.end;
        });
        Reach::Piece last;
        const bool found = reach.touches(at, at + 1, last);
        if (expected != found && (expected || exactly))
          RC_FAIL("at " + std::to_string(at - kBase) +
                  (expected ? ": in flight" : ": not in flight"));
      }
    };
    for (const int what : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 12))) {
      if (what < 9) {
        // Often adjacent to the last one, like the elements of an array.
        const std::uint64_t begin = what < 6 && next < kBase + kBytes
                                        ? next
                                        : kBase + *rc::gen::inRange<std::uint64_t>(0, kBytes),
                            bytes = *rc::gen::inRange<std::uint64_t>(1, 9);
        const std::int64_t target = *rc::gen::inRange<std::int64_t>(0, kTargets);
        Event event = operation(MpiCall::MPI_Put, target);
        event.buffers.push_back(
            {BufferUse::Read, begin, static_cast<std::int64_t>(bytes), TypeId(0)});
        reach.follow(event, definitions, Reach::Completes::Nothing);
        all.push_back({target, begin, begin + bytes});
        next = begin + bytes;
        compare(false);
      } else if (what < 11) {
        const std::int64_t target = *rc::gen::inRange<std::int64_t>(0, kTargets);
        reach.follow(operation(MpiCall::MPI_Win_flush, target), definitions,
                     Reach::Completes::OneTarget);
        std::erase_if(all, [&](const InFlight& one) { return one.target == target; });
        compare(all.empty());
      } else {
        reach.follow(operation(MpiCall::MPI_Win_flush_all, -1), definitions,
                     Reach::Completes::AllTargets);
        all.clear();
        compare(true);
      }
    }
    for (std::int64_t target = 0; target < kTargets; ++target)
      reach.follow(operation(MpiCall::MPI_Win_flush, target), definitions,
                   Reach::Completes::OneTarget);
    all.clear();
    compare(true);
  }));
}

}  // namespace
}  // namespace photofinish
