// UPC-Thrille, NPB BT and SP 3.3: a hand-written signal (v = 1) and wait (while (v == 0)). The tool
// cannot know that the flag orders the data, so it predicts both races; only the race on the flag
// can happen. Fixed: a message instead of the flag.
#include "window.h"
// run: ranks=2
// output: read 12
// expect confirmed, same outcome: put @{signal} load @{wait}
// expect not reproduced: put @{data} load @{read}
enum { kData = 0, kFlag = 32, kSteps = 3 };

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  volatile int* shared = int_window(48, &win);
  MPI_Win_lock_all(0, win);
  int sum = 0;
  for (int step = 1; step <= kSteps; ++step) {
    if (rank == 0) {
      const int data = step + 2;
      MPI_Put(&data, 1, MPI_INT, 1, kData + step, 1, MPI_INT, win); /*{data}*/
      MPI_Win_flush(1, win);
#ifdef FIXED
      MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
#else
      MPI_Put(&step, 1, MPI_INT, 1, kFlag, 1, MPI_INT, win); /*{signal}*/
      MPI_Win_flush(1, win);
#endif
    } else if (rank == 1) {
#ifdef FIXED
      MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
      while (shared[kFlag] < step) { /*{wait}*/
        int flag;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Win_sync(win);
        sched_yield();
      }
#endif
      MPI_Win_sync(win);
      sum += shared[kData + step]; /*{read}*/
    }
  }
  if (rank == 1) printf("read %d\n", sum);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
