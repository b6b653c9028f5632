// A get that is complete at its origin has read its target. So after a local flush, or the wait of
// an rget, the owner may be notified to overwrite; the same holds for a fetching atomic. Without
// either it may not.
#include "rma.h"
// run: ranks=2
// output: got 1 1 1
// expect race: get @{get} store @{over0}
// expect race: get @{rget} store @{over1}
// expect race: accumulate @{fetch} store @{over2}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(3, &win);
  for (int i = 0; i < 3; ++i) STORE(memory[i], 1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    int got[3] = {0};
    const int nothing = 0;
    MPI_Request request;
    MPI_Get(&got[0], 1, MPI_INT, 1, 0, 1, MPI_INT, win);              /*{get}*/
    MPI_Fetch_and_op(&nothing, &got[2], MPI_INT, 1, 2, MPI_SUM, win); /*{fetch}*/
#ifdef FIXED
    MPI_Win_flush_local(1, win);
#endif
    MPI_Rget(&got[1], 1, MPI_INT, 1, 1, 1, MPI_INT, win, &request); /*{rget}*/
#ifdef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    tell(1);
#ifndef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    MPI_Win_flush(1, win);
    printf("got %d %d %d\n", LOAD(got[0]), LOAD(got[1]), LOAD(got[2]));
  } else {
    hear(0);
    STORE(memory[0], 2); /*{over0}*/
    STORE(memory[1], 2); /*{over1}*/
    STORE(memory[2], 2); /*{over2}*/
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
