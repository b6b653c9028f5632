// Each PE puts its part and increments a counter. Who sees all increments sees all parts.
#include "pes.h"
// run: ranks=4
// output: sum 6
// expect race: put @{put} load @{load}

int main(void) {
  begin();
  long* parts = longs(4);
  long* arrived = longs(1);
  const long value = me;
  shmem_long_put(&parts[me], &value, 1, 0); /*{put}*/
#ifdef FIXED
  shmem_fence();
#endif
  shmem_long_atomic_inc(arrived, 0);
  if (me == 0) {
    shmem_long_wait_until(arrived, SHMEM_CMP_EQ, pes);
    long sum = 0;
    for (int i = 0; i < pes; ++i) sum += parts[i]; /*{load}*/
    printf("sum %ld\n", sum);
  }
  shmem_barrier_all();
  shmem_finalize();
}
