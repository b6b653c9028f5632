// Get, compute, put: without a lock the updates of two PEs race.
#include "pes.h"
// run: ranks=2
// output: sum 2
// expect race: get @{get} put @{put}
// expect race: put @{put} put @{put}
// expect report buggy: Try: shmem_barrier_all between them (shmem_sync_all completes no put). Without a barrier: *For get, compute, put on shared data: one lock (shmem_set_lock) around all of it, or one atomic (shmem_atomic_fetch_add, shmem_atomic_compare_swap).

static long lock, total;

int main(void) {
  begin();
#ifdef FIXED
  shmem_set_lock(&lock);
#endif
  const long value = shmem_long_g(&total, 0) + 1; /*{get}*/
  shmem_long_p(&total, value, 0);                 /*{put}*/
#ifdef FIXED
  shmem_clear_lock(&lock);
#else
  (void)lock;
#endif
  shmem_barrier_all();
  if (me == 0) printf("sum %ld\n", total);
  shmem_finalize();
}
