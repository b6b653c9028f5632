// Workers receive a message each and count a latch down; the reader waits for it. Fixed: before it
// reads, not after.
#include <latch>
#include <thread>
#include <vector>

#include "hybrid.h"
// build: flags="-pthread -std=c++20"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
enum { kWorkers = 3 };
static int incoming[kWorkers], outgoing[kWorkers];
static volatile int sum;

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  std::latch all(kWorkers);
  std::vector<std::thread> workers;
  for (int i = 0; i < kWorkers; ++i)
    workers.emplace_back([&all, i] {
      MPI_Sendrecv(&outgoing[i], 1, MPI_INT, 1 - rank, i, &incoming[i], 1, MPI_INT, /*{receive}*/
                   1 - rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      all.count_down();
    });
#ifdef FIXED
  all.wait();
#endif
  for (int i = 0; i < kWorkers; ++i) sum = sum + incoming[i]; /*{read}*/
#ifndef FIXED
  all.wait();
#endif
  for (std::thread& worker : workers) worker.join();
  if (rank == 0) printf("done\n");
  MPI_Finalize();
}
