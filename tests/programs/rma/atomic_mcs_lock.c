// The MCS lock: a queue of ranks with its tail at rank 0; each waits at its own flag, which its
// predecessor clears. It protects a counter in another window. The bug: the put of the counter is
// flushed after the lock was handed over. Fixed: before.
#include "rma.h"
// run: ranks=4
// output: counter 12
// expect race: put @{put} get @{get}
// expect race: put @{put} put @{put}
enum { kRounds = 3, kNobody = -1, kTail = 0, kNext = 1, kBlocked = 2 };

static MPI_Win locks, data;
static int* queue;  // this rank's entry in it

static void set(int target, int place, int value) {
  MPI_Accumulate(&value, 1, MPI_INT, target, place, 1, MPI_INT, MPI_REPLACE, locks);
  MPI_Win_flush(target, locks);
}

static int read_place(int target, int place) {
  int value;
  MPI_Fetch_and_op(NULL, &value, MPI_INT, target, place, MPI_NO_OP, locks);
  MPI_Win_flush(target, locks);
  return LOAD(value);
}

static void set_up_place(void) {
#ifdef WITH_STORES
  STORE(queue[kNext], kNobody);
  STORE(queue[kBlocked], 1);
  MPI_Win_sync(locks);
#else
  set(rank, kNext, kNobody);
  set(rank, kBlocked, 1);
#endif
}

static void acquire(void) {
  int before;
  set_up_place();
  MPI_Fetch_and_op(&rank, &before, MPI_INT, 0, kTail, MPI_REPLACE, locks);
  MPI_Win_flush(0, locks);
  if (LOAD(before) == kNobody) return;
  set(before, kNext, rank);
  while (read_place(rank, kBlocked)) sched_yield();
}

static void release(void) {
  const int nobody = kNobody;
  int tail;
  if (read_place(rank, kNext) == kNobody) {
    MPI_Compare_and_swap(&nobody, &rank, &tail, MPI_INT, 0, kTail, locks);
    MPI_Win_flush(0, locks);
    if (LOAD(tail) == rank) return;
    while (read_place(rank, kNext) == kNobody) sched_yield();
  }
  set(read_place(rank, kNext), kBlocked, 0);
}

int main(int argc, char** argv) {
  begin(argc, argv);
  queue = int_window(3, &locks);
  int* counter = int_window(1, &data);
  STORE(queue[kTail], kNobody);
  MPI_Barrier(MPI_COMM_WORLD);
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
