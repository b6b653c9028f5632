// Each rank takes the lock at itself to add to a sum of rank 0. Advice: the same target.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: sum 3
// expect race: get @{get} put @{put}
// expect race: put @{put} put @{put}
// expect report buggy: The accesses are concurrent: rank * locks rank * and rank * locks rank *: locks at different targets do not exclude each other, and no happens-before path orders the two puts.
// expect report buggy: Try: lock the same target on both ranks, around all accesses to these data; or order the two puts with a barrier or a message.

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win locks, sums;
  int_window(1, &locks);
  int* memory = int_window(1, &sums);
#ifdef FIXED
  const int target = 0;
#else
  const int target = rank;
#endif
  int sum = 0;
  MPI_Win_lock_all(0, sums);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, locks);
  MPI_Get(&sum, 1, MPI_INT, 0, 0, 1, MPI_INT, sums); /*{get}*/
  MPI_Win_flush(0, sums);
  sum += rank + 1;
  MPI_Put(&sum, 1, MPI_INT, 0, 0, 1, MPI_INT, sums); /*{put}*/
  MPI_Win_flush(0, sums);
  MPI_Win_unlock(target, locks);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d\n", memory[0]);
  MPI_Win_unlock_all(sums);
  MPI_Win_free(&sums);
  MPI_Win_free(&locks);
  MPI_Finalize();
}
