// A ring of buffers between the thread that receives and the one that computes: one semaphore
// counts the full ones, one the empty ones. Fixed: the receiver waits for an empty one.
#include <semaphore>
#include <thread>

#include "hybrid.h"
// build: flags="-pthread -std=c++20"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
enum { kSlots = 2, kMessages = 8 };
static int slots[kSlots][16], outgoing[16];
static volatile int sum;

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  std::counting_semaphore<kMessages> full(0), empty(kSlots);
  std::thread consumer([&] {
    for (int i = 0; i < kMessages; ++i) {
      full.acquire();
      sum = sum + slots[i % kSlots][3]; /*{read}*/
      empty.release();
    }
  });
  for (int i = 0; i < kMessages; ++i) {
#ifdef FIXED
    empty.acquire();
#endif
    MPI_Sendrecv(outgoing, 16, MPI_INT, 1 - rank, i, slots[i % kSlots], 16, MPI_INT, /*{receive}*/
                 1 - rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    full.release();
  }
  consumer.join();
  if (rank == 0) printf("done\n");
  MPI_Finalize();
}
