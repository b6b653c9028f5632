// Atomics of all PEs on one counter, and its value after a barrier.
#include "pes.h"
// run: ranks=4
// output: sum 40
// expect no race

int main(void) {
  begin();
  long* counter = longs(1);
  for (int i = 0; i < 10; ++i) shmem_long_atomic_fetch_add(counter, 1, 0);
  shmem_barrier_all();
  if (me == 0) printf("sum %ld\n", counter[0]);
  shmem_finalize();
}
