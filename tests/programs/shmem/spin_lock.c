// A lock made of compare-and-swap. Its release must complete the puts that it protects.
#include "pes.h"
// run: ranks=3
// output: sum 3
// expect race: put @{put} get @{get}
// expect race: put @{put} put @{put}

int main(void) {
  begin();
  long* lock = longs(1);
  long* total = longs(2);
  while (shmem_long_atomic_compare_swap(lock, 0, 1, 0) != 0) continue;
  long values[2];
  shmem_long_get(values, total, 2, 0); /*{get}*/
  values[0] += 1;
  shmem_long_put(total, values, 2, 0); /*{put}*/
#ifdef FIXED
  shmem_quiet();
#endif
  shmem_long_atomic_set(lock, 0, 0);
  shmem_barrier_all();
  if (me == 0) printf("sum %ld\n", total[0]);
  shmem_finalize();
}
