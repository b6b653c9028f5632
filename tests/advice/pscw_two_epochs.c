// Two puts to one address in one access epoch. Advice: another epoch for the second.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: read 2
// expect race: put @{first} put @{second}
// expect report buggy: Try: another epoch for the second: MPI_Win_complete, and MPI_Win_wait of rank 1, between the two puts.

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1, &win);
  const int one = 1, two = 2, other = 1 - rank;
  MPI_Group all, group;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &other, &group);
  if (rank == 0) {
    MPI_Win_start(group, 0, win);
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{first}*/
#ifdef FIXED
    MPI_Win_complete(win);
    MPI_Win_start(group, 0, win);
#endif
    MPI_Put(&two, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{second}*/
    MPI_Win_complete(win);
  } else {
#ifdef FIXED
    MPI_Win_post(group, 0, win);
    MPI_Win_wait(win);
#endif
    MPI_Win_post(group, 0, win);
    MPI_Win_wait(win);
    printf("read %d\n", memory[0]);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&all);
  MPI_Win_free(&win);
  MPI_Finalize();
}
