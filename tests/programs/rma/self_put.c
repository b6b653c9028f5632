// A rank puts to its own window memory, and loads it before the put completes: its own operations
// are pending like those of others. A get and a fetch of its own memory race with its store. Fixed:
// a flush between.
#include "rma.h"
// run: ranks=2
// output: read 7 0 0
// expect race: put @{put} load @{load}
// expect race: get @{get} store @{store1}
// expect race: accumulate @{fetch} store @{store2}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(3, &win);
  const int seven = 7, one = 1;
  int got = 0, old = 0;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  MPI_Put(&seven, 1, MPI_INT, rank, 0, 1, MPI_INT, win);        /*{put}*/
  MPI_Get(&got, 1, MPI_INT, rank, 1, 1, MPI_INT, win);          /*{get}*/
  MPI_Fetch_and_op(&one, &old, MPI_INT, rank, 2, MPI_SUM, win); /*{fetch}*/
#ifdef FIXED
  MPI_Win_flush(rank, win);
#endif
  const int read = LOAD(memory[0]); /*{load}*/
  STORE(memory[1], 5);              /*{store1}*/
  STORE(memory[2], 5);              /*{store2}*/
  MPI_Win_unlock(rank, win);
  if (rank == 0) printf("read %d %d %d\n", read, LOAD(got), LOAD(old));
  MPI_Win_free(&win);
  MPI_Finalize();
}
