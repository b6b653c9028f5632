// A window with accumulate_ops=same_op: all concurrent accumulates on an address must use one
// operation, and not even MPI_NO_OP may be mixed with it. Fixed: the window is made without that
// info, so that MPI_NO_OP is allowed.
#include "rma.h"
// run: ranks=3
// output: sum 3
// expect race: accumulate @{sum} accumulate @{read}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Info info;
  MPI_Info_create(&info);
#ifndef FIXED
  MPI_Info_set(info, "accumulate_ops", "same_op");
#endif
  int* memory;
  MPI_Win win;
  MPI_Win_allocate(64, 4, info, MPI_COMM_WORLD, &memory, &win);
  MPI_Info_free(&info);
  memset(memory, 0, 64);
  MPI_Barrier(MPI_COMM_WORLD);
  int old = 0;
  MPI_Win_lock_all(0, win);
  MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);          /*{sum}*/
  if (rank == 0) MPI_Fetch_and_op(NULL, &old, MPI_INT, 0, 0, MPI_NO_OP, win); /*{read}*/
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d\n", LOAD(memory[0]));
  MPI_Win_free(&win);
  MPI_Finalize();
}
