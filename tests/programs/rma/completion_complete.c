// After MPI_Win_complete the origin may reuse its buffer; the put is complete at the target only
// after the target's wait. So rank 2, which reads the same memory through a second window, must be
// notified by the target, not by the origin.
#include "rma.h"
// run: ranks=3
// output: read 7
// expect race: load @{put} store @{reuse}
// expect race: put @{put} get @{get}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win, second;
  int* memory = int_window(1, &win);
  MPI_Win_create(memory, sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &second);
  MPI_Group world, zero, one;
  const int p0[1] = {0}, p1[1] = {1};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, p0, &zero);
  MPI_Group_incl(world, 1, p1, &one);
  if (rank == 0) {
    int value = 7;
    MPI_Win_start(one, 0, win);
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
#ifdef FIXED
    MPI_Win_complete(win);
#endif
    STORE(value, 8); /*{reuse}*/
#ifndef FIXED
    MPI_Win_complete(win);
    tell(2);
#endif
  } else if (rank == 1) {
    MPI_Win_post(zero, 0, win);
    MPI_Win_wait(win);
#ifdef FIXED
    tell(2);
#endif
  } else {
    int got = 0;
#ifdef FIXED
    hear(1);
#else
    hear(0);
#endif
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, second);
    MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, second); /*{get}*/
    MPI_Win_unlock(1, second);
    printf("read %d\n", LOAD(got));
  }
  MPI_Group_free(&one);
  MPI_Group_free(&zero);
  MPI_Group_free(&world);
  MPI_Win_free(&second);
  MPI_Win_free(&win);
  MPI_Finalize();
}
