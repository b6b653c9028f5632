// Two ranks add to one double, one of them as bytes of another type. Advice: the same predefined
// type in both.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: sum 2
// expect race: accumulate @{int} accumulate @{long}
// expect report buggy: Try: the same predefined type in both, at the same displacements; or complete the first, then a barrier, before the second.

int main(int argc, char** argv) {
  begin(argc, argv);
  long* memory;
  MPI_Win win;
  MPI_Win_allocate(64, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memory[0] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const long one = 1;
  MPI_Win_lock_all(0, win);
#ifndef FIXED
  const int one_int = 1;
  if (rank == 0)
    MPI_Accumulate(&one_int, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win); /*{int}*/
  else
#endif
    MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win); /*{long}*/
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("sum %ld\n", memory[0]);
  MPI_Win_free(&win);
  MPI_Finalize();
}
