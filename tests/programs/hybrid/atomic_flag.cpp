// One thread receives and sets a flag, another waits for it and reads. Fixed: the flag is stored
// with release and loaded with acquire.
#include <atomic>
#include <thread>

#include "hybrid.h"
// build: flags="-pthread"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
#ifdef FIXED
constexpr auto kStore = std::memory_order_release, kLoad = std::memory_order_acquire;
#else
constexpr auto kStore = std::memory_order_relaxed, kLoad = std::memory_order_relaxed;
#endif
static int values[32];
static volatile int seen;
static std::atomic<int> flag{0};

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_SERIALIZED);
  int mine[32] = {1};
  std::thread reader([] {
    while (flag.load(kLoad) == 0) std::this_thread::yield();
    seen = values[7]; /*{read}*/
  });
  MPI_Sendrecv(mine, 32, MPI_INT, 1 - rank, 0, values, 32, MPI_INT, 1 - rank, 0, /*{receive}*/
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  flag.store(1, kStore);
  reader.join();
  if (rank == 0) printf("done\n");
  MPI_Finalize();
}
