// Two ranks put to one address in one exposure epoch. Advice: MPI_Win_wait and another MPI_Win_post
// between them.
#include "../programs/rma/rma.h"
// run: ranks=3
// output: read 2
// expect race: put @{put} put @{put}
// expect report buggy: Try: MPI_Win_wait of rank 0 and another MPI_Win_post between the two puts.

static MPI_Win win;

static MPI_Group group_of(int count, const int* ranks) {
  MPI_Group all, group;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, count, ranks, &group);
  MPI_Group_free(&all);
  return group;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int* memory = int_window(1, &win);
  const int target = 0, origins[] = {1, 2};
  if (rank > 0) {
    MPI_Group group = group_of(1, &target);
    MPI_Win_start(group, 0, win);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Win_complete(win);
    MPI_Group_free(&group);
  } else {
#ifdef FIXED
    for (int i = 0; i < 2; ++i) {
      MPI_Group group = group_of(1, &origins[i]);
#else
    {
      MPI_Group group = group_of(2, origins);
#endif
      MPI_Win_post(group, 0, win);
      MPI_Win_wait(win);
      MPI_Group_free(&group);
    }
    printf("read %d\n", memory[0]);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
}
