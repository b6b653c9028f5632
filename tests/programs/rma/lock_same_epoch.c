// One rank, one exclusive lock, two operations on one address: they are unordered, because the lock
// excludes other ranks only. Fixed: a flush between them.
#include "rma.h"
// run: ranks=2
// output: value 2, read 2
// expect race: put @{first} put @{second}
// expect race: put @{second} get @{read}
// expect race: put @{first} get @{read}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(1, &win);
  const int values[2] = {1, 2};
  int got = 0;
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Put(&values[0], 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{first}*/
#ifdef FIXED
    MPI_Win_flush(1, win);
#endif
    MPI_Put(&values[1], 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{second}*/
#ifdef FIXED
    MPI_Win_flush(1, win);
#endif
    MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{read}*/
    MPI_Win_unlock(1, win);
    printf("value %d, read %d\n", values[1], LOAD(got));
  }
  MPI_Win_free(&win);
  MPI_Finalize();
}
