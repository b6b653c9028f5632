// Checks that the simulator makes executions that MPI permits, of all kinds: in each focus some
// with races and some without.
#include "simulator.h"

#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "oracle.h"

namespace photofinish::testing {
namespace {

constexpr int kPrograms = 300;  // for each focus

Program draw(Focus focus, int number) {
  return programs(focus)(rc::Random(static_cast<std::uint64_t>(number)), 100).value();
}

TEST(Simulator, MessagesMatchByThePagesRule) {
  std::size_t messages = 0;
  for (const Focus focus : {Focus::Messages, Focus::Buffers, Focus::Everything})
    for (int i = 0; i < kPrograms; ++i) {
      const Simulated made = simulate(draw(focus, i));
      messages += made.matched.size();
      EXPECT_TRUE(matched_messages(made.execution) == made.matched) << text(made.execution);
    }
  EXPECT_GT(messages, 1000u);
}

TEST(Simulator, EverySublistOfStepsIsAProgram) {
  for (const Focus focus : kFocuses) {
    Program program = draw(focus, 7);
    while (!program.steps.empty()) {
      EXPECT_FALSE(simulate(program).execution.ranks.empty());
      program.steps.erase(program.steps.begin() +
                          static_cast<std::ptrdiff_t>(program.steps.size() / 3));
    }
  }
}

using enum Call;
constexpr Call kExpected[] = {
    load,
    store,
    MPI_Put,
    MPI_Get,
    MPI_Accumulate,
    MPI_Get_accumulate,
    MPI_Fetch_and_op,
    MPI_Compare_and_swap,
    MPI_Rput,
    MPI_Rget,
    MPI_Raccumulate,
    MPI_Rget_accumulate,
    MPI_Win_fence,
    MPI_Win_post,
    MPI_Win_start,
    MPI_Win_complete,
    MPI_Win_wait,
    MPI_Win_test,
    MPI_Win_lock,
    MPI_Win_lock_all,
    MPI_Win_unlock,
    MPI_Win_unlock_all,
    MPI_Win_flush,
    MPI_Win_flush_all,
    MPI_Win_flush_local,
    MPI_Win_flush_local_all,
    MPI_Win_sync,
    MPI_Win_create,
    MPI_Win_allocate,
    MPI_Win_create_dynamic,
    MPI_Win_attach,
    MPI_Win_free,
    MPI_Send,
    MPI_Bsend,
    MPI_Ssend,
    MPI_Rsend,
    MPI_Isend,
    MPI_Ibsend,
    MPI_Issend,
    MPI_Send_init,
    MPI_Ssend_init,
    MPI_Recv_init,
    MPI_Start,
    MPI_Startall,
    MPI_Recv,
    MPI_Irecv,
    MPI_Sendrecv,
    MPI_Sendrecv_replace,
    MPI_Probe,
    MPI_Iprobe,
    MPI_Mprobe,
    MPI_Improbe,
    MPI_Mrecv,
    MPI_Wait,
    MPI_Waitany,
    MPI_Waitsome,
    MPI_Waitall,
    MPI_Test,
    MPI_Testany,
    MPI_Testsome,
    MPI_Testall,
    MPI_Request_get_status,
    MPI_Request_free,
    MPI_Cancel,
    MPI_Barrier,
    MPI_Bcast,
    MPI_Reduce,
    MPI_Allreduce,
    MPI_Gather,
    MPI_Scatter,
    MPI_Scan,
    MPI_Exscan,
    MPI_Allgather,
    MPI_Alltoall,
    MPI_Reduce_scatter_block,
    MPI_Neighbor_allgather,
    MPI_Neighbor_alltoall,
    MPI_Ibarrier,
    MPI_Ibcast,
    MPI_Ireduce,
    MPI_Iallreduce,
    MPI_Igather,
    MPI_Iscatter,
    MPI_Iscan,
    MPI_Iexscan,
    MPI_Iallgather,
    MPI_Ialltoall,
    MPI_Ireduce_scatter_block,
    MPI_Ineighbor_allgather,
    MPI_Ineighbor_alltoall,
    MPI_Comm_split,
    MPI_Comm_dup,
    MPI_Comm_idup,
};

TEST(Simulator, MakesAllKindsOfExecutions) {
  std::map<std::string, int> open;
  std::map<Reason, int> reasons;
  std::map<Call, int> calls;
  std::map<Call, int> racing_calls;
  for (const Focus focus : kFocuses) {
    int racing = 0, free = 0, undecided = 0, events = 0;
    for (int i = 0; i < kPrograms; ++i) {
      const Simulated made = simulate(draw(focus, i));
      for (const Execution::Rank& rank : made.execution.ranks)
        for (const Event& event : rank.events) ++events, ++calls[event.call];
      const Verdict verdict = judge(made.execution);
      if (!verdict.open.empty()) ++open[verdict.open];
      ++(!verdict.open.empty() ? undecided : verdict.races.empty() ? free : racing);
      for (const RacingPair& pair : verdict.races) {
        ++reasons[pair.reason];
        for (const RacingSide& side : {pair.one, pair.other})
          ++racing_calls[made.execution.ranks[static_cast<std::size_t>(side.rank)]
                             .events[side.site.value - 1]
                             .call];
      }
    }
    std::cout << name_of(focus) << ": " << racing << " with races, " << free << " without, "
              << undecided << " left open by the page, " << events / kPrograms << " events each\n";
    EXPECT_GT(racing, kPrograms / 6);
    EXPECT_GT(free, kPrograms / 6);
    EXPECT_LT(undecided, kPrograms / 4);
  }
  for (const auto& [why, count] : open) std::cout << "left open: " << why << ": " << count << '\n';
  EXPECT_EQ(reasons.size(), 5u);
  for (const auto& [reason, count] : reasons) EXPECT_GT(count, 100) << static_cast<int>(reason);
  for (const Call call : kExpected) EXPECT_GT(calls[call], 4) << traits(call).name;
  // Every call with a buffer races in some execution.
  for (const Call call : {load, store, MPI_Put, MPI_Rget, MPI_Compare_and_swap, MPI_Start,
                          MPI_Irecv, MPI_Isend, MPI_Recv, MPI_Iallreduce, MPI_Ibcast})
    EXPECT_GT(racing_calls[call], 0) << traits(call).name;
}

}  // namespace
}  // namespace photofinish::testing
