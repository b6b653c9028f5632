// Atomics are atomic to each other, not to a put.
#include "pes.h"
// run: ranks=3
// output: done
// expect race: atomic @{add} put @{put}
// expect report buggy: Try: shmem_barrier_all between them (shmem_sync_all completes no put). Without a barrier: *If any order is correct: shmem_atomic_set instead of the put.

int main(void) {
  begin();
  long* counter = longs(1);
  if (me == 1) shmem_long_atomic_add(counter, 2, 0); /*{add}*/
#ifdef FIXED
  if (me == 2) shmem_long_atomic_set(counter, 1, 0);
#else
  const long value = 1;
  if (me == 2) shmem_long_put(counter, &value, 1, 0); /*{put}*/
#endif
  shmem_barrier_all();
  if (me == 0) printf("done\n");
  shmem_finalize();
}
