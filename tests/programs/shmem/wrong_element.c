// The flag of another message is no order for this one.
#include "pes.h"
// run: ranks=3
// output: done
// expect race: put @{put} load @{load}

int main(void) {
  begin();
  long* data = longs(4);
  long* flags = longs(3);
  const long values[2] = {6, 6};
  if (me != 0) {
    shmem_long_put(&data[2 * (me - 1)], values, 2, 0); /*{put}*/
    shmem_fence();
    shmem_long_p(&flags[me], 1, 0);
  } else {
#ifdef FIXED
    shmem_long_wait_until(&flags[1], SHMEM_CMP_EQ, 1);
#else
    shmem_long_wait_until(&flags[2], SHMEM_CMP_EQ, 1);
#endif
    printf("got %ld\ndone\n", data[1]); /*{load}*/
  }
  shmem_barrier_all();
  shmem_finalize();
}
