// The buffer of one operation is the target of another: rank 1 gets into its own window memory
// while rank 0 puts there, and sends from its window memory while rank 0 puts there. Fixed: a
// barrier between.
#include "rma.h"
// run: ranks=2
// output: rank 1 has 5 5, sent 3
// expect race: put @{put} store @{get}
// expect race: put @{put} load @{send}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(3, &win);
  const int fives[2] = {5, 5};
  int sent = 0;
  STORE(memory[1], 3);
  STORE(memory[2], 4);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 1) {
    MPI_Get(&memory[0], 1, MPI_INT, 0, 2, 1, MPI_INT, win); /*{get}*/
    MPI_Win_flush(0, win);
    MPI_Send(&memory[1], 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /*{send}*/
  }
#ifdef FIXED
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  if (rank == 0) MPI_Put(fives, 2, MPI_INT, 1, 0, 2, MPI_INT, win); /*{put}*/
  if (rank == 0) MPI_Recv(&sent, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(win);
  MPI_Bcast(&sent, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 1) printf("rank 1 has %d %d, sent %d\n", LOAD(memory[0]), LOAD(memory[1]), sent);
  MPI_Win_free(&win);
  MPI_Finalize();
}
