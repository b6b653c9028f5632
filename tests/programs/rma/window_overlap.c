// Two windows over the same memory: rank 0 puts through one of them and rank 2 gets through
// the other one, which has another base and displacement unit. Fixed: they access different
// bytes.
#include "rma.h"
// run: ranks=3
// output: got 0
// expect race: put @{put} get @{get}
static _Alignas(64) int memory[64];

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win whole, half;
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &whole);
  MPI_Win_create(memory + 32, sizeof memory / 2, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &half);
  const int seven = 7;
  int got = 0;
#ifdef FIXED
  const int place = 4;
#else
  const int place = 3;
#endif
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, whole);
    MPI_Put(&seven, 1, MPI_INT, 1, 35 * sizeof(int), 1, MPI_INT, whole); /*{put}*/
    MPI_Win_unlock(1, whole);
  } else if (rank == 2) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, half);          // of the other window: no common lock
    MPI_Get(&got, 1, MPI_INT, 1, place, 1, MPI_INT, half); /*{get}*/
    MPI_Win_unlock(1, half);
    printf("got %d\n", LOAD(got));
  }
  MPI_Win_free(&half);
  MPI_Win_free(&whole);
  MPI_Finalize();
}
