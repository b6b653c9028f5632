// Between its post and its wait, or a successful test, a target may not access what the origins of
// the epoch put. First with MPI_Win_wait, then with MPI_Win_test. Fixed: after them.
#include "rma.h"
// run: ranks=2
// output: read 1 2
// expect race: put @{put0} load @{load0}
// expect race: put @{put1} load @{load1}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(2, &win);
  MPI_Group world, other;
  const int others[1] = {1 - rank};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, others, &other);
  const int values[2] = {1, 2};
  if (rank == 0) {
    MPI_Win_start(other, 0, win);
    MPI_Put(&values[0], 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put0}*/
    MPI_Win_complete(win);
    MPI_Win_start(other, 0, win);
    MPI_Put(&values[1], 1, MPI_INT, 1, 1, 1, MPI_INT, win); /*{put1}*/
    MPI_Win_complete(win);
  } else {
    int first, second, over = 0;
    MPI_Win_post(other, 0, win);
#ifdef FIXED
    MPI_Win_wait(win);
#endif
    first = LOAD(memory[0]); /*{load0}*/
#ifndef FIXED
    MPI_Win_wait(win);
#endif
    MPI_Win_post(other, 0, win);
#ifndef FIXED
    second = LOAD(memory[1]); /*{load1}*/
#endif
    while (!over) {
      MPI_Win_test(win, &over);
      sched_yield();
    }
#ifdef FIXED
    second = LOAD(memory[1]);
#endif
    printf("read %d %d\n", first, second);
  }
  MPI_Group_free(&other);
  MPI_Group_free(&world);
  MPI_Win_free(&win);
  MPI_Finalize();
}
