// The results of a get, a fetch-and-op and a compare-and-swap are complete after
// MPI_Win_flush_local, whichever order is forced. The owner stores when a message arrives, which is
// sent before the flush. Fixed: it is sent after the flush.
#include "../rma/rma.h"
// run: ranks=2
// output: got 0 or 7, three times
// expect confirmed: get @{get} store @{first}
// expect confirmed: accumulate @{fetch} store @{second}
// expect confirmed: accumulate @{swap} store @{third}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(32, &win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    int got[3] = {-1, -1, -1};
    const int none = 0, minus = -5;
    MPI_Get(&got[0], 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{get}*/
#ifdef FIXED
    MPI_Win_flush_local(1, win);
#endif
    tell(1);
    MPI_Win_flush_local(1, win);
    MPI_Fetch_and_op(&none, &got[1], MPI_INT, 1, 1, MPI_SUM, win); /*{fetch}*/
#ifdef FIXED
    MPI_Win_flush_local(1, win);
#endif
    tell(1);
    MPI_Win_flush_local_all(win);
    MPI_Compare_and_swap(&none, &minus, &got[2], MPI_INT, 1, 2, win); /*{swap}*/
#ifdef FIXED
    MPI_Win_flush_local(1, win);
#endif
    tell(1);
    MPI_Win_flush_local(1, win);
    int right = 1;
    for (int i = 0; i < 3; ++i) right = right && (got[i] == 0 || got[i] == 7);
    if (right)
      printf("got 0 or 7, three times\n");
    else
      printf("got %d %d %d\n", got[0], got[1], got[2]);
  } else {
    hear(0);
    STORE(memory[0], 7); /*{first}*/
    hear(0);
    STORE(memory[1], 7); /*{second}*/
    hear(0);
    STORE(memory[2], 7); /*{third}*/
    MPI_Win_sync(win);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
