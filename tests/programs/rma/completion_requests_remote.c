// A complete rput or raccumulate request does not imply completion at the target, so the owner must
// not be notified after the wait alone; for rget and rget_accumulate it may. Fixed: also a flush.
#include "rma.h"
// run: ranks=2
// output: read 7 2
// expect race: put @{rput} load @{load0}
// expect report buggy: *complete it before the barrier or message (MPI_Win_flush, not MPI_Wait or MPI_Win_flush_local)*
// expect race: accumulate @{raccumulate} load @{load1}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(4, &win);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    const int seven = 7, two = 2;
    int got = 0, old = 0;
    MPI_Request requests[4];
    MPI_Rput(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &requests[0]); /*{rput}*/
    MPI_Raccumulate(&two, 1, MPI_INT, 1, 1, 1, MPI_INT, MPI_SUM, win,
                    &requests[1]); /*{raccumulate}*/
    MPI_Rget(&got, 1, MPI_INT, 1, 2, 1, MPI_INT, win, &requests[2]);
    MPI_Rget_accumulate(&two, 1, MPI_INT, &old, 1, MPI_INT, 1, 3, 1, MPI_INT, MPI_SUM, win,
                        &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
#ifdef FIXED
    MPI_Win_flush(1, win);
#endif
    tell(1);
  } else {
    hear(0);
    const int first = LOAD(memory[0]);  /*{load0}*/
    const int second = LOAD(memory[1]); /*{load1}*/
    STORE(memory[2], 5);
    STORE(memory[3], LOAD(memory[3]) + 1);
    printf("read %d %d\n", first, second);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
