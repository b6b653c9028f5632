// The owner clears a flag with a store once it has read it as set; the origin completes its
// accumulate only at the end. Correct: an observed atomic has taken effect. The bug: the owner
// relies on a message that the flag was set, and does not read it.
#include "rma.h"
// run: ranks=2
// output: rounds 4
// expect race: accumulate @{set} store @{clear}
enum { kRounds = 4 };

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* flag = int_window(1, &win);
  STORE(*flag, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  int round = 0;
  for (; round < kRounds; ++round) {
    int one = 1;
    if (rank == 1) {
      MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win); /*{set}*/
      MPI_Win_flush_local(0, win);
#ifndef FIXED
      MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
#endif
      MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
#ifdef FIXED
      int found = 0;
      while (!found) {
        MPI_Fetch_and_op(NULL, &found, MPI_INT, 0, 0, MPI_NO_OP, win);
        MPI_Win_flush(0, win);
        if (!found) sched_yield();
      }
#else
      MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
      STORE(*flag, 0); /*{clear}*/
      MPI_Win_sync(win);
      MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
  }
  MPI_Win_unlock_all(win);
  if (rank == 0) printf("rounds %d\n", round);
  MPI_Win_free(&win);
  MPI_Finalize();
}
