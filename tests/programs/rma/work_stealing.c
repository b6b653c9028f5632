// Correct: each rank has a queue of tasks in its window memory; an idle rank steals half of another
// one's queue. An exclusive lock on the owner protects each queue, for thieves (get, flush, put)
// and for the owner's own loads and stores.
#include "rma.h"
// run: ranks=4
// output: 40 tasks, sum 820
// expect no race
enum { kTasks = 40, kHead = 0, kTail = 1, kQueue = 2 };

static MPI_Win queues, counters;
static int* queue;

static int take_own(void) {
  int task = 0;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, queues);
  const int head = LOAD(queue[kHead]);
  if (head < LOAD(queue[kTail])) {
    task = LOAD(queue[kQueue + head]);
    STORE(queue[kHead], head + 1);
  }
  MPI_Win_unlock(rank, queues);
  return task;
}

// Into the thief's own queue, which is empty: its indices restart at 0.
static int steal(int victim) {
  int ends[2], loot[kTasks], count = 0;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, victim, 0, queues);
  MPI_Get(ends, 2, MPI_INT, victim, kHead, 2, MPI_INT, queues);
  MPI_Win_flush(victim, queues);
  count = (LOAD(ends[1]) - LOAD(ends[0]) + 1) / 2;
  if (count > 0) {
    const int left = ends[1] - count;
    MPI_Get(loot, count, MPI_INT, victim, kQueue + left, count, MPI_INT, queues);
    MPI_Put(&left, 1, MPI_INT, victim, kTail, 1, MPI_INT, queues);
    MPI_Win_flush_local(victim, queues);  // `left` goes out of scope
  }
  MPI_Win_unlock(victim, queues);
  if (count <= 0) return 0;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, queues);
  for (int i = 0; i < count; ++i) STORE(queue[kQueue + i], LOAD(loot[i]));
  STORE(queue[kHead], 0);
  STORE(queue[kTail], count);
  MPI_Win_unlock(rank, queues);
  return 1;
}

static int count_done(int tasks) {
  int done;
  MPI_Fetch_and_op(&tasks, &done, MPI_INT, 0, 0, MPI_SUM, counters);
  MPI_Win_flush(0, counters);
  return LOAD(done) + tasks;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  queue = int_window(2 + kTasks, &queues);
  int_window(1, &counters);
  if (rank == 0) {  // all work begins here
    for (int i = 0; i < kTasks; ++i) STORE(queue[kQueue + i], i + 1);
    STORE(queue[kTail], kTasks);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, counters);
  int results[2] = {0}, all[2];
  for (int victim = 0; count_done(0) < kTasks; victim = (victim + 1) % size) {
    if (victim != rank) steal(victim);
    for (int task = take_own(); task != 0; task = take_own()) {
      ++results[0];
      results[1] += task;
      count_done(1);
      sched_yield();
    }
  }
  MPI_Win_unlock_all(counters);
  MPI_Reduce(results, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d tasks, sum %d\n", all[0], all[1]);
  MPI_Win_free(&counters);
  MPI_Win_free(&queues);
  MPI_Finalize();
}
