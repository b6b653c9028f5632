// shmem_fence orders the delivery of shmem_put_nbi, too. Its origin buffer stays in use.
#include "pes.h"
// run: ranks=2
// output: got 7
// expect race: put @{put} load @{load}

static long values[4] = {7, 7, 7, 7};

int main(void) {
  begin();
  long* data = longs(4);
  long* flag = longs(1);
  if (me == 0) {
    shmem_long_put_nbi(data, values, 4, 1); /*{put}*/
#ifdef FIXED
    shmem_fence();
#endif
    shmem_long_p(flag, 1, 1);
  } else {
    shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
    printf("got %ld\n", data[1]); /*{load}*/
  }
  shmem_barrier_all();
  shmem_finalize();
}
