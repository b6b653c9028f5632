// Correct: a flag with relaxed operations, between fences.
#include <atomic>
#include <thread>

#include "hybrid.h"
// build: flags="-pthread"
// run: ranks=2
// output: 1
// expect no race
static int values[32], seen;
static std::atomic<int> flag{0};

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_SERIALIZED);
  int mine[32] = {0, 1};
  std::thread reader([] {
    while (flag.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
    std::atomic_thread_fence(std::memory_order_acquire);
    seen = values[1];
  });
  MPI_Sendrecv(mine, 32, MPI_INT, 1 - rank, 0, values, 32, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  std::atomic_thread_fence(std::memory_order_release);
  flag.store(1, std::memory_order_relaxed);
  reader.join();
  if (rank == 0) printf("%d\n", seen);
  MPI_Finalize();
}
