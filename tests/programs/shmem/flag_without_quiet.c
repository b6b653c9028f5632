// As flag_without_fence.c, with shmem_quiet: what is complete is also ordered.
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
    shmem_quiet();
#endif
    shmem_long_p(flag, 1, 1);
  } else {
    shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
    printf("got %ld\n", data[3]); /*{load}*/
  }
  shmem_barrier_all();
  shmem_finalize();
}
