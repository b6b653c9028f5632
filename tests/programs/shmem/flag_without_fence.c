// A put and a flag: the data may arrive after the flag, unless shmem_fence orders the two. The
// flag is not complete, and need not be.
#include "pes.h"
// run: ranks=2
// output: got 7
// expect race: put @{put} load @{load}
// expect report buggy: Try: shmem_barrier_all between them (shmem_sync_all completes no put). Without a barrier: shmem_wait_until before the second access, for a flag that is set after the first. If the put comes first, shmem_fence before the flag (or shmem_put_signal of OpenSHMEM 1.5)*

int main(void) {
  begin();
  long* data = longs(4);
  long* flag = longs(1);
  const long values[4] = {7, 7, 7, 7};
  if (me == 0) {
    shmem_long_put(data, values, 4, 1); /*{put}*/
#ifdef FIXED
    shmem_fence();
#endif
    shmem_long_p(flag, 1, 1);
  } else {
    shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
    printf("got %ld\n", data[3]); /*{load}*/
  }
  shmem_barrier_all();
  shmem_finalize();
}
