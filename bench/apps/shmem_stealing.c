// Work stealing: a lock protects the queue of each PE. Whoever has no task left steals one.
// Arguments: tasks of all PEs, steps of a task.
#include "pes.h"

static long* locks;
static long* bounds;  // of the tasks that are left on this PE

// -1: there is none.
static long take(int from) {
  long left[2], task = -1;
  shmem_set_lock(&locks[from]);
  shmem_long_get(left, bounds, 2, from);
  if (left[0] < left[1]) {
    task = from == me ? --left[1] : left[0]++;
    shmem_long_put(bounds, left, 2, from);
  }
  shmem_clear_lock(&locks[from]);
  return task;
}

int main(int argc, char** argv) {
  start();
  const long total = argument(argc, argv, 1, 100), steps = argument(argc, argv, 2, 100);
  locks = zeros((size_t)pes * sizeof *locks);
  bounds = zeros(2 * sizeof *bounds);
  double* table = malloc(4096 * sizeof *table);
  for (int i = 0; i < 4096; ++i) table[i] = (double)(mix((uint64_t)i) % 1000);
  // The PEs have different numbers of tasks.
  bounds[0] = total * me * me / (pes * pes);
  bounds[1] = total * (me + 1) * (me + 1) / (pes * pes);
  uint64_t checksum = 0, bits;
  const double began = synchronized_time();
  for (int i = 0; i < pes; ++i)
    for (long task; (task = take((me + i) % pes)) >= 0;) {
      double sum = 0;
      for (long step = 0; step < steps; ++step) sum = 0.5 * sum + table[(task * 7 + step) % 4096];
      memcpy(&bits, &sum, sizeof bits);
      checksum += mix(bits);
    }
  return finish(synchronized_time() - began, checksum);
}
