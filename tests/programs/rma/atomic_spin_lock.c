// A lock made from compare_and_swap: 0 is free, 1 is taken; a replace releases it. It protects a
// counter in another window. The bug: the put of the counter is flushed after the release, so it
// races with the next holder. Fixed: before.
#include "rma.h"
// run: ranks=4
// output: counter 12
// expect race: put @{put} get @{get}
// expect race: put @{put} put @{put}
enum { kRounds = 3 };

static MPI_Win locks, data;

static void acquire(void) {
  const int taken = 1, nobody = 0;
  int was = 1;
  while (was != 0) {
    MPI_Compare_and_swap(&taken, &nobody, &was, MPI_INT, 0, 0, locks);
    MPI_Win_flush(0, locks);
    if (LOAD(was) != 0) sched_yield();
  }
}

static void release(void) {
  const int nobody = 0;
  MPI_Accumulate(&nobody, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, locks);
  MPI_Win_flush(0, locks);
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int_window(1, &locks);
  int* counter = int_window(1, &data);
  int values[kRounds] = {0};
  MPI_Win_lock_all(0, locks);
  MPI_Win_lock_all(0, data);
  for (int round = 0; round < kRounds; ++round) {
    acquire();
    MPI_Get(&values[round], 1, MPI_INT, 0, 0, 1, MPI_INT, data); /*{get}*/
    MPI_Win_flush(0, data);
    STORE(values[round], LOAD(values[round]) + 1);
    MPI_Put(&values[round], 1, MPI_INT, 0, 0, 1, MPI_INT, data); /*{put}*/
#ifdef FIXED
    MPI_Win_flush(0, data);
    release();
#else
    release();
    MPI_Win_flush(0, data);
#endif
  }
  MPI_Win_unlock_all(data);
  MPI_Win_unlock_all(locks);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("counter %d\n", LOAD(*counter));
  MPI_Win_free(&data);
  MPI_Win_free(&locks);
  MPI_Finalize();
}
