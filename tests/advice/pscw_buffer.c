// The buffer of a put is reused inside its access epoch. Advice: MPI_Win_complete before it.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: read 7
// expect race: load @{put} store @{store}
// expect report buggy: Try: MPI_Win_complete before the program reuses the buffer of MPI_Put.

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int *memory = int_window(1, &win), value = 7;
  const int other = 1 - rank;
  MPI_Group all, group;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &other, &group);
  if (rank == 0) {
    MPI_Win_start(group, 0, win);
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
#ifdef FIXED
    MPI_Win_complete(win);
#endif
    value = 8; /*{store}*/
#ifndef FIXED
    MPI_Win_complete(win);
#endif
    MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else {
    MPI_Win_post(group, 0, win);
    MPI_Win_wait(win);
    MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("read %d\n", memory[0]);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&all);
  MPI_Win_free(&win);
  MPI_Finalize();
}
