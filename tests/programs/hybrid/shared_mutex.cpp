// A cache that is filled from another rank: readers share a lock, whoever fills it has it alone.
// Fixed: the reader does not read the values before it has the lock.
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "hybrid.h"
// build: flags="-pthread -std=c++20"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static std::shared_mutex mutex;
static int values[16], mine[16];
static bool there;
static volatile int seen;

static void look() {
  for (bool found = false; !found; std::this_thread::yield()) {
#ifndef FIXED
    seen = values[2]; /*{read}*/
#endif
    std::shared_lock<std::shared_mutex> lock(mutex);
    found = there;
    if (found) seen = values[3];
  }
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  std::thread reader(look);
  {
    std::unique_lock<std::shared_mutex> lock(mutex);
    MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, 0, values, 16, MPI_INT, 1 - rank, 0, /*{receive}*/
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    there = true;
  }
  reader.join();
  if (rank == 0) printf("done\n");
  MPI_Finalize();
}
