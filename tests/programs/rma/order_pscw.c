// A start waits for the post, so what precedes the target's post happens before what follows the
// origins' start. The bug: the target fills its memory after the post. Fixed: before.
#include "rma.h"
// run: ranks=3
// output: rank 1 got 7
// output: rank 2 got 7
// expect race: get @{get} store @{fill}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1, &win);
  MPI_Group world, origins, target;
  const int others[2] = {2, 1}, zero[1] = {0};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, others, &origins);
  MPI_Group_incl(world, 1, zero, &target);
  if (rank == 0) {
#ifndef FIXED
    MPI_Win_post(origins, 0, win);
#endif
    STORE(memory[0], 7); /*{fill}*/
#ifdef FIXED
    MPI_Win_post(origins, 0, win);
#endif
    MPI_Win_wait(win);
    STORE(memory[0], 8);
  } else {
    int got = 0;
    MPI_Win_start(target, 0, win);
    MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /*{get}*/
    MPI_Win_complete(win);
    printf("rank %d got %d\n", rank, LOAD(got));
  }
  MPI_Group_free(&target);
  MPI_Group_free(&origins);
  MPI_Group_free(&world);
  MPI_Win_free(&win);
  MPI_Finalize();
}
