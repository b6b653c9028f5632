// PE 0 puts to PE 1 and tells PE 2, which reads it there. shmem_fence orders deliveries to one PE
// only: another PE needs shmem_quiet.
#include "pes.h"
// run: ranks=3
// output: done
// expect race: put @{put} get @{get}

int main(void) {
  begin();
  long* data = longs(2);
  long* flag = longs(1);
  if (me == 0) {
    const long values[2] = {4, 4};
    shmem_long_put(data, values, 2, 1); /*{put}*/
#ifdef FIXED
    shmem_quiet();
#else
    shmem_fence();
#endif
    shmem_long_p(flag, 1, 2);
  } else if (me == 2) {
    shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
    long value[2];
    shmem_long_get(value, data, 2, 1); /*{get}*/
    printf("done\n");
  }
  shmem_barrier_all();
  shmem_finalize();
}
