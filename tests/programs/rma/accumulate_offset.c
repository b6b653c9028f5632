// Accumulates of one element whose origin has a datatype with an offset: absolute addresses with
// MPI_BOTTOM, and the second of two ints. Only the element that the datatype names is read: the
// store to the other one is allowed. With a bug, the named element is overwritten before the flush.
#include "rma.h"
// run: ranks=2
// output: sum 30
// expect race: load @{offset} store @{store}
static int pair[2] = {-1, 10};
static int absolute_value = 20;

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1, &win);
  MPI_Datatype absolute, second;
  MPI_Aint place;
  const int one = 1;
  const MPI_Aint offset = sizeof(int);
  MPI_Get_address(&absolute_value, &place);
  MPI_Type_create_hindexed(1, &one, &place, MPI_INT, &absolute);
  MPI_Type_create_hindexed(1, &one, &offset, MPI_INT, &second);
  MPI_Type_commit(&absolute);
  MPI_Type_commit(&second);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Accumulate(MPI_BOTTOM, 1, absolute, 1, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Accumulate(pair, 1, second, 1, 0, 1, MPI_INT, MPI_SUM, win); /*{offset}*/
    STORE(pair[0], 5);
#ifdef FIXED
    MPI_Win_flush_local(1, win);
#endif
    STORE(pair[1], 10); /*{store}*/
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) printf("sum %d\n", LOAD(memory[0]));
  MPI_Type_free(&absolute);
  MPI_Type_free(&second);
  MPI_Win_free(&win);
  MPI_Finalize();
}
