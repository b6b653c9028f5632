// A flag in the window orders the accesses, which no analysis of synchronization sees: the race on
// the data cannot happen. The race on the flag happens, and has no effect.
#include "../../rma/rma.h"
// run: ranks=2
// truth: not reproduced: put @{data} load @{read}
// truth: any: put @{flag} load @{poll}
int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  volatile int* memory = int_window(16, &win);
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    const int value = 7, flag = 1;
    MPI_Put(&value, 1, MPI_INT, 1, 8, 1, MPI_INT, win); /*{data}*/
    MPI_Win_flush(1, win);
    MPI_Put(&flag, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{flag}*/
    MPI_Win_flush(1, win);
  } else {
    int none = 0;
    while (memory[0] == 0) { /*{poll}*/
      MPI_Win_sync(win);
      MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &none, MPI_STATUS_IGNORE);
    }
    printf("got %d\n", memory[8]); /*{read}*/
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
