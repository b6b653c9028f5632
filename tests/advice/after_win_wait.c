// The target loads between MPI_Win_post and MPI_Win_wait. Advice: after MPI_Win_wait.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: read 7
// expect race: put @{put} load @{load}
// expect report buggy: Try: the load before MPI_Win_post of rank 1, or after MPI_Win_wait.

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int *memory = int_window(1, &win), read = 0;
  const int value = 7, other = 1 - rank;
  MPI_Group all, group;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &other, &group);
  if (rank == 0) {
    MPI_Win_start(group, 0, win);
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Win_complete(win);
  } else {
    MPI_Win_post(group, 0, win);
#ifdef FIXED
    MPI_Win_wait(win);
    read = memory[0];
#else
    read = memory[0]; /*{load}*/
    MPI_Win_wait(win);
#endif
    printf("read %d\n", read);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&all);
  MPI_Win_free(&win);
  MPI_Finalize();
}
