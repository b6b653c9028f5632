// Work stealing: each PE has a queue of tasks that a lock protects. The owner takes tasks from its
// end, others steal from its begin. Results are added up by an atomic.
#include "pes.h"
// run: ranks=3
// output: sum 2016
// expect no race

enum { kTasks = 64 };

struct Queue {
  long first, last;
  long tasks[kTasks];
};

static long* locks;  // one for each PE
static struct Queue* queue;

// 0: the queue is empty.
static long take(int from) {
  shmem_set_lock(&locks[from]);
  long bounds[2], task = 0;
  shmem_long_get(bounds, &queue->first, 2, from);
  if (bounds[0] < bounds[1]) {
    const long at = from == me ? --bounds[1] : bounds[0]++;
    task = shmem_long_g(&queue->tasks[at], from);
    shmem_long_put(&queue->first, bounds, 2, from);
  }
  shmem_clear_lock(&locks[from]);
  return task;
}

int main(void) {
  begin();
  locks = longs(pes);
  queue = (struct Queue*)longs(sizeof(struct Queue) / sizeof(long));
  long* total = longs(1);
  if (me == 0)  // all the work is on one PE
    for (long i = 1; i < kTasks; ++i) queue->tasks[queue->last++] = i;
  shmem_barrier_all();
  long sum = 0;
  for (int i = 0; i < pes; ++i)
    for (long task; (task = take((me + i) % pes)) != 0;) sum += task;
  shmem_long_atomic_add(total, sum, 0);
  shmem_barrier_all();
  if (me == 0) printf("sum %ld\n", total[0]);
  shmem_finalize();
}
