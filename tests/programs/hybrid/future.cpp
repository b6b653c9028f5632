// A thread receives and fulfills a promise; whoever has the future waits for it. Fixed: before it
// reads.
#include <future>
#include <thread>

#include "hybrid.h"
// build: flags="-pthread -std=c++20"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static int values[16], mine[16];
static volatile int seen;

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_SERIALIZED);
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread receiver([&promise] {
    MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, 0, values, 16, MPI_INT, 1 - rank, 0, /*{receive}*/
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    promise.set_value(16);
  });
#ifdef FIXED
  const int count = future.get();
#else
  const int count = 16;
#endif
  seen = values[count - 1]; /*{read}*/
#ifndef FIXED
  seen = future.get();
#endif
  receiver.join();
  std::future<int> other = std::async(std::launch::async, [] { return values[1]; });
  seen = other.get();
  if (rank == 0) printf("done\n");
  MPI_Finalize();
}
