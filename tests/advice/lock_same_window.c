// Two windows over the same memory: each rank locks another one. Advice: the same window.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: done
// expect race: put @{one} put @{other}
// expect report buggy: Put of 4 bytes by rank 0 into rank 0, window created in main lock_same_window.c:* +0x4..0x8
// expect report buggy: conflicts with put of 4 bytes by rank 1 into rank 0, window created in main lock_same_window.c:* +0x0..0x4
// expect report buggy: both windows expose variable `memory`
// expect report buggy: The accesses are concurrent: the locks are on different windows, so they do not exclude each other, and no happens-before path orders the two puts.
// expect report buggy: Try: lock the same window and the same target on both ranks, around all accesses to these data; or order the two puts with a barrier or a message.

static int memory[16];

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win whole, rest;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &whole);
  MPI_Win_create(memory + 1, sizeof memory - sizeof(int), sizeof(int), MPI_INFO_NULL,
                 MPI_COMM_WORLD, &rest);
#ifdef FIXED
  MPI_Win other = whole;
  const int place = 1;
#else
  MPI_Win other = rest;
  const int place = 0;
#endif
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, whole);
    MPI_Put(&rank, 1, MPI_INT, 0, 1, 1, MPI_INT, whole); /*{one}*/
    MPI_Win_unlock(0, whole);
  } else {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, other);
    MPI_Put(&rank, 1, MPI_INT, 0, place, 1, MPI_INT, other); /*{other}*/
    MPI_Win_unlock(0, other);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("done\n");
  MPI_Win_free(&rest);
  MPI_Win_free(&whole);
  MPI_Finalize();
}
