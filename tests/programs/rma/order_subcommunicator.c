// A barrier orders only the ranks of its communicator. Rank 0 puts, then ranks 0, 1 and 2 call a
// barrier on a subcommunicator. The bug: rank 3, which is not a member, gets. Fixed: rank 2
// gets.
#include "rma.h"
// run: ranks=4
// output: got 7
// expect race: put @{put} get @{get}
#ifdef FIXED
enum { kReader = 2 };
#else
enum { kReader = 3 };
#endif

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(1, &win);
  MPI_Comm some;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 3, -rank, &some);  // ranks 2, 1, 0; and 3 alone
  const int seven = 7;
  int got = 0;
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Put(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Win_flush(1, win);
  }
  MPI_Barrier(some);
  if (rank == kReader) {
    MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{get}*/
    MPI_Win_flush(1, win);
    printf("got %d\n", LOAD(got));
  }
  MPI_Win_unlock_all(win);
  MPI_Comm_free(&some);
  MPI_Win_free(&win);
  MPI_Finalize();
}
