// Counts of random pairs, summed up under a lock (papers: NPB EP). No race.
#include <stdio.h>
#include <stdlib.h>
#include <upc_relaxed.h>

#define PAIRS 2000
#define CLASSES 10

shared [] long counts[CLASSES];
upc_lock_t *lock;

int main(void) {
  long mine[CLASSES] = {0};
  lock = upc_all_lock_alloc();
  srand48(17 + MYTHREAD);
  for (int i = 0; i < PAIRS; i++) {
    const double x = 2 * drand48() - 1, y = 2 * drand48() - 1;
    if (x * x + y * y <= 1) mine[(int)(10 * (x * x + y * y)) % CLASSES]++;
  }
  upc_barrier;
  upc_lock(lock);
  for (int i = 0; i < CLASSES; i++) counts[i] += mine[i];
  upc_unlock(lock);
  upc_barrier;
  if (MYTHREAD == 0) {
    long all = 0;
    for (int i = 0; i < CLASSES; i++) all += counts[i];
    printf("ep: %s\n", all > PAIRS * THREADS / 2 && all < PAIRS * THREADS ? "passed" : "failed");
  }
  return 0;
}
