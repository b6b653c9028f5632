#include "frontend/mpi/meaning/timing_notes.h"
#include "frontend/mpi/table/mpi_call.h"

#include <gtest/gtest.h>

namespace photofinish {
namespace {

struct OneRank {
  TimingNotes notes;

  Event call(Call call, std::uint32_t task) {
    Event event;
    event.call = call;
    event.task = TaskId(task);
    event.site = SiteId(static_cast<std::uint32_t>(call) + 1);
    event.returned = true;
    return event;
  }
  void add(const Event& event) {
    notes.add(WorldRank(0), event, [&] { return std::uint64_t{event.site.value}; });
  }
  void start(std::uint64_t request) {
    Event event = call(MpiCall::MPI_Grequest_start, 0);
    event.fields.set(Field::request, RequestId(request));
    add(event);
  }
  void complete(std::uint64_t request, std::uint32_t task) {
    Event event = call(MpiCall::MPI_Grequest_complete, task);
    event.fields.set(Field::request, RequestId(request));
    add(event);
  }
  void test(Call name, std::vector<std::uint64_t> requests, bool flag, std::uint32_t task = 0,
            std::vector<std::uint32_t> completed = {}) {
    Event event = call(name, task);
    event.fields.set(Field::flag, flag ? 1 : 0);
    for (const std::uint64_t request : requests) event.requests.push_back(RequestId(request));
    for (const std::uint32_t index : completed) {
      event.completions.emplace_back();
      event.completions.back().index = index;
    }
    add(event);
  }
  std::uint64_t times() const {
    std::uint64_t all = 0;
    for (const TimingDependence& one : notes.all()) all += one.times;
    return all;
  }
};

TEST(TimingNotes, ProgramOrderDecidesTestsOfOnesOwnGeneralRequest) {
  OneRank rank;
  rank.start(1);
  rank.start(2);
  rank.test(MpiCall::MPI_Test, {1}, false);
  rank.test(MpiCall::MPI_Test, {1}, false);
  rank.test(MpiCall::MPI_Testany, {1, 2}, false);
  rank.complete(2, 0);
  rank.test(MpiCall::MPI_Testany, {1, 2}, true, 0, {1});
  rank.complete(1, 0);
  rank.test(MpiCall::MPI_Test, {1}, true, 0, {0});
  EXPECT_EQ(rank.times(), 0u);
}

TEST(TimingNotes, AnotherThreadMakesThemAMatterOfTiming) {
  OneRank rank;
  rank.start(1);
  rank.test(MpiCall::MPI_Test, {1}, false, 0);
  rank.test(MpiCall::MPI_Test, {1}, false, 0);
  rank.test(MpiCall::MPI_Test, {1}, false, 1);
  rank.complete(1, 1);
  rank.test(MpiCall::MPI_Test, {1}, true, 0, {0});
  EXPECT_EQ(rank.times(), 2u);
}

TEST(TimingNotes, NobodyKnowsWhoWouldHaveCompletedIt) {
  OneRank rank;
  rank.start(1);
  rank.test(MpiCall::MPI_Test, {1}, false);
  EXPECT_EQ(rank.times(), 1u);
}

TEST(TimingNotes, BesideMessagesOnlyTestallIsCertain) {
  OneRank rank;
  rank.start(1);
  rank.test(MpiCall::MPI_Testall, {1, 7}, false);
  rank.complete(1, 0);
  rank.test(MpiCall::MPI_Wait, {1}, true, 0, {0});
  EXPECT_EQ(rank.times(), 0u);
  rank.start(2);
  rank.test(MpiCall::MPI_Testsome, {2, 7}, false);
  rank.test(MpiCall::MPI_Test, {7}, false);
  EXPECT_EQ(rank.times(), 2u);
}

}  // namespace
}  // namespace photofinish
