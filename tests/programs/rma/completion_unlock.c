// An unlock completes a put, at its origin and at its target. To notify another rank, or to reuse
// the buffer, before it is a race. First with MPI_Win_lock, then with MPI_Win_lock_all. Fixed:
// after the unlock.
#include "rma.h"
// run: ranks=3
// output: read 1 2
// expect race: put @{put0} get @{get0}
// expect race: put @{put1} get @{get1}
// expect race: load @{put0} store @{reuse0}
// expect race: load @{put1} store @{reuse1}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(2, &win);
  int values[2] = {1, 2}, got[2] = {0};
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(&values[0], 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put0}*/
#ifdef FIXED
    MPI_Win_unlock(1, win);
#endif
    STORE(values[0], -1); /*{reuse0}*/
    tell(2);
#ifndef FIXED
    MPI_Win_unlock(1, win);
#endif
    MPI_Win_lock_all(0, win);
    MPI_Put(&values[1], 1, MPI_INT, 1, 1, 1, MPI_INT, win); /*{put1}*/
#ifdef FIXED
    MPI_Win_unlock_all(win);
#endif
    STORE(values[1], -1); /*{reuse1}*/
    tell(2);
#ifndef FIXED
    MPI_Win_unlock_all(win);
#endif
  } else if (rank == 2) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    hear(0);
    MPI_Get(&got[0], 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{get0}*/
    hear(0);
    MPI_Get(&got[1], 1, MPI_INT, 1, 1, 1, MPI_INT, win); /*{get1}*/
    MPI_Win_unlock(1, win);
    printf("read %d %d\n", LOAD(got[0]), LOAD(got[1]));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
  MPI_Finalize();
}
