// Checks that the simulator makes executions that MPI permits, of all kinds: in each focus some
// with races and some without.
#include "simulator.h"

#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "frontend/mpi/table/mpi_call.h"
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

constexpr Call kExpected[] = {
    Call::load,
    Call::store,
    MpiCall::MPI_Put,
    MpiCall::MPI_Get,
    MpiCall::MPI_Accumulate,
    MpiCall::MPI_Get_accumulate,
    MpiCall::MPI_Fetch_and_op,
    MpiCall::MPI_Compare_and_swap,
    MpiCall::MPI_Rput,
    MpiCall::MPI_Rget,
    MpiCall::MPI_Raccumulate,
    MpiCall::MPI_Rget_accumulate,
    MpiCall::MPI_Win_fence,
    MpiCall::MPI_Win_post,
    MpiCall::MPI_Win_start,
    MpiCall::MPI_Win_complete,
    MpiCall::MPI_Win_wait,
    MpiCall::MPI_Win_test,
    MpiCall::MPI_Win_lock,
    MpiCall::MPI_Win_lock_all,
    MpiCall::MPI_Win_unlock,
    MpiCall::MPI_Win_unlock_all,
    MpiCall::MPI_Win_flush,
    MpiCall::MPI_Win_flush_all,
    MpiCall::MPI_Win_flush_local,
    MpiCall::MPI_Win_flush_local_all,
    MpiCall::MPI_Win_sync,
    MpiCall::MPI_Win_create,
    MpiCall::MPI_Win_allocate,
    MpiCall::MPI_Win_create_dynamic,
    MpiCall::MPI_Win_attach,
    MpiCall::MPI_Win_free,
    MpiCall::MPI_Send,
    MpiCall::MPI_Bsend,
    MpiCall::MPI_Ssend,
    MpiCall::MPI_Rsend,
    MpiCall::MPI_Isend,
    MpiCall::MPI_Ibsend,
    MpiCall::MPI_Issend,
    MpiCall::MPI_Send_init,
    MpiCall::MPI_Ssend_init,
    MpiCall::MPI_Recv_init,
    MpiCall::MPI_Start,
    MpiCall::MPI_Startall,
    MpiCall::MPI_Recv,
    MpiCall::MPI_Irecv,
    MpiCall::MPI_Sendrecv,
    MpiCall::MPI_Sendrecv_replace,
    MpiCall::MPI_Probe,
    MpiCall::MPI_Iprobe,
    MpiCall::MPI_Mprobe,
    MpiCall::MPI_Improbe,
    MpiCall::MPI_Mrecv,
    MpiCall::MPI_Wait,
    MpiCall::MPI_Waitany,
    MpiCall::MPI_Waitsome,
    MpiCall::MPI_Waitall,
    MpiCall::MPI_Test,
    MpiCall::MPI_Testany,
    MpiCall::MPI_Testsome,
    MpiCall::MPI_Testall,
    MpiCall::MPI_Request_get_status,
    MpiCall::MPI_Request_free,
    MpiCall::MPI_Cancel,
    MpiCall::MPI_Barrier,
    MpiCall::MPI_Bcast,
    MpiCall::MPI_Reduce,
    MpiCall::MPI_Allreduce,
    MpiCall::MPI_Gather,
    MpiCall::MPI_Scatter,
    MpiCall::MPI_Scan,
    MpiCall::MPI_Exscan,
    MpiCall::MPI_Allgather,
    MpiCall::MPI_Alltoall,
    MpiCall::MPI_Reduce_scatter_block,
    MpiCall::MPI_Neighbor_allgather,
    MpiCall::MPI_Neighbor_alltoall,
    MpiCall::MPI_Ibarrier,
    MpiCall::MPI_Ibcast,
    MpiCall::MPI_Ireduce,
    MpiCall::MPI_Iallreduce,
    MpiCall::MPI_Igather,
    MpiCall::MPI_Iscatter,
    MpiCall::MPI_Iscan,
    MpiCall::MPI_Iexscan,
    MpiCall::MPI_Iallgather,
    MpiCall::MPI_Ialltoall,
    MpiCall::MPI_Ireduce_scatter_block,
    MpiCall::MPI_Ineighbor_allgather,
    MpiCall::MPI_Ineighbor_alltoall,
    MpiCall::MPI_Comm_split,
    MpiCall::MPI_Comm_dup,
    MpiCall::MPI_Comm_idup,
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
  for (const Call call :
       {Call::load, Call::store, MpiCall::MPI_Put, MpiCall::MPI_Rget, MpiCall::MPI_Compare_and_swap,
        MpiCall::MPI_Start, MpiCall::MPI_Irecv, MpiCall::MPI_Isend, MpiCall::MPI_Recv,
        MpiCall::MPI_Iallreduce, MpiCall::MPI_Ibcast})
    EXPECT_GT(racing_calls[call], 0) << traits(call).name;
}

}  // namespace
}  // namespace photofinish::testing
