// One thread receives, another one reads what it received. Fixed: it waits on a condition variable.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "hybrid.h"
// build: flags="-pthread"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static int values[32], sum;
static std::mutex mutex;
static std::condition_variable changed;
static bool ready = false;

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_SERIALIZED);
  int mine[32] = {1};
  std::thread reader([] {
#ifdef FIXED
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [] { return ready; });
#endif
    for (int i = 0; i < 32; ++i) sum += values[i]; /*{read}*/
  });
  MPI_Sendrecv(mine, 32, MPI_INT, 1 - rank, 0, values, 32, MPI_INT, 1 - rank, 0, /*{receive}*/
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  {
    std::lock_guard<std::mutex> lock(mutex);
    ready = true;
  }
  changed.notify_one();
  reader.join();
  if (rank == 0) printf("done\n");
  MPI_Finalize();
}
