// The owner loads a counter that others update with atomics. It needs an atomic, too.
#include "pes.h"
// run: ranks=2
// output: done
// expect race: atomic @{inc} load @{load}
// expect report buggy: Try: shmem_barrier_all between them (shmem_sync_all completes no put). Without a barrier: *If any order is correct: shmem_atomic_fetch instead of the load.

int main(void) {
  begin();
  long* counter = longs(1);
  long seen = 0;
  if (me == 1) shmem_long_atomic_inc(counter, 0); /*{inc}*/
#ifdef FIXED
  if (me == 0) seen = shmem_long_atomic_fetch(counter, 0);
#else
  if (me == 0) seen = counter[0]; /*{load}*/
#endif
  shmem_barrier_all();
  if (me == 0 && seen <= 1) printf("done\n");
  shmem_finalize();
}
