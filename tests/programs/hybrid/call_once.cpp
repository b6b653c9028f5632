// Whoever comes first receives the parameters for all. Fixed: std::call_once, which makes the
// others wait.
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "hybrid.h"
// build: flags="-pthread -std=c++20"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static int values[16], mine[16];
static volatile int seen[4];

static void receive() {
  MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, 0, values, 16, MPI_INT, 1 - rank, 0, /*{receive}*/
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void work(int me) {
#ifdef FIXED
  static std::once_flag once;
  std::call_once(once, receive);
#else
  static std::atomic<bool> taken{false};
  if (!taken.exchange(true, std::memory_order_relaxed)) receive();
#endif
  seen[me] = values[me]; /*{read}*/
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_SERIALIZED);
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i) workers.emplace_back(work, i);
  for (std::thread& worker : workers) worker.join();
  if (rank == 0) printf("done\n");
  MPI_Finalize();
}
