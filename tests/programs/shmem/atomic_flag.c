// A flag that is set with an atomic.
#include "pes.h"
// run: ranks=2
// output: got 7
// expect race: put @{put} load @{load}

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
    shmem_long_atomic_set(flag, 1, 1);
  } else {
    shmem_long_wait_until(flag, SHMEM_CMP_NE, 0);
    printf("got %ld\n", data[0]); /*{load}*/
  }
  shmem_barrier_all();
  shmem_finalize();
}
