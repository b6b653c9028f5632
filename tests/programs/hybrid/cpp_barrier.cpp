// Threads take turns in steps that a std::barrier separates: one receives, the other computes with
// what was received. Fixed: there is a barrier on both sides of the receive.
#include <barrier>
#include <thread>

#include "hybrid.h"
// build: flags="-pthread -std=c++20"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
enum { kSteps = 3 };
static int incoming[16], outgoing[16];
static volatile int sum;

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  std::barrier<> step(2);
  std::thread worker([&step] {
    for (int i = 0; i < kSteps; ++i) {
      step.arrive_and_wait();
      sum = sum + incoming[i]; /*{read}*/
#ifdef FIXED
      step.arrive_and_wait();
#endif
    }
  });
  for (int i = 0; i < kSteps; ++i) {
    MPI_Sendrecv(outgoing, 16, MPI_INT, 1 - rank, i, incoming, 16, MPI_INT, 1 - rank, /*{receive}*/
                 i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    step.arrive_and_wait();
#ifdef FIXED
    step.arrive_and_wait();
#endif
  }
  worker.join();
  if (rank == 0) printf("done\n");
  MPI_Finalize();
}
