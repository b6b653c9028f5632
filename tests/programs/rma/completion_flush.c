// Before another rank is notified to read the data of a put, the put must be complete at its
// target: that requires a flush of this target, or of all. No flush, a local flush, or the flush of
// another target is not sufficient.
#include "rma.h"
// run: ranks=3
// output: read 1 2 3 4
// expect race: put @{put0} get @{get0}
// expect race: put @{put1} get @{get1}
// expect race: put @{put2} get @{get2}
// expect race: put @{put3} get @{get3}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(4, &win);
  const int values[4] = {1, 2, 3, 4};
  int got[4] = {0};
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Put(&values[0], 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put0}*/
    MPI_Put(&values[1], 1, MPI_INT, 1, 1, 1, MPI_INT, win); /*{put1}*/
#ifdef FIXED
    MPI_Win_flush(1, win);
#else
    MPI_Win_flush_local(1, win);
#endif
    MPI_Put(&values[2], 1, MPI_INT, 1, 2, 1, MPI_INT, win); /*{put2}*/
    MPI_Put(&values[3], 1, MPI_INT, 1, 3, 1, MPI_INT, win); /*{put3}*/
#ifdef FIXED
    MPI_Win_flush_all(win);
#else
    MPI_Win_flush_local_all(win);
    MPI_Win_flush(2, win);
#endif
    tell(2);
  } else if (rank == 2) {
    hear(0);
    MPI_Get(&got[0], 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{get0}*/
    MPI_Get(&got[1], 1, MPI_INT, 1, 1, 1, MPI_INT, win); /*{get1}*/
    MPI_Get(&got[2], 1, MPI_INT, 1, 2, 1, MPI_INT, win); /*{get2}*/
    MPI_Get(&got[3], 1, MPI_INT, 1, 3, 1, MPI_INT, win); /*{get3}*/
    MPI_Win_flush(1, win);
    printf("read %d %d %d %d\n", LOAD(got[0]), LOAD(got[1]), LOAD(got[2]), LOAD(got[3]));
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
  MPI_Finalize();
}
