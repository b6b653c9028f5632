// A thread sleeps in atomic::wait until the message is there. With relaxed operations it wakes up
// all the same, but sees nothing. Fixed: release and acquire.
#include <atomic>
#include <thread>

#include "hybrid.h"
// build: flags="-pthread -std=c++20"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static int values[16], mine[16];
static volatile int seen;
static std::atomic<int> there{0};
#ifdef FIXED
constexpr auto kWrite = std::memory_order_release, kRead = std::memory_order_acquire;
#else
constexpr auto kWrite = std::memory_order_relaxed, kRead = std::memory_order_relaxed;
#endif

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  std::thread reader([] {
    there.wait(0, kRead);
    seen = values[3]; /*{read}*/
  });
  MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, 0, values, 16, MPI_INT, 1 - rank, 0, /*{receive}*/
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  there.store(1, kWrite);
  there.notify_one();
  reader.join();
  if (rank == 0) printf("done\n");
  MPI_Finalize();
}
