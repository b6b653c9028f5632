// A get may read before the PE's own put arrives. shmem_fence does not order gets; shmem_quiet
// completes the put.
#include "pes.h"
// run: ranks=2
// output: got 3
// expect race: put @{put} get @{get}

int main(void) {
  begin();
  long* data = longs(2);
  if (me == 0) {
    const long values[2] = {3, 3};
    long seen[2] = {0};
    shmem_long_put(data, values, 2, 1); /*{put}*/
#ifdef FIXED
    shmem_quiet();
#else
    shmem_fence();
#endif
    shmem_long_get(seen, data, 2, 1); /*{get}*/
    printf("got %ld\n", seen[1]);
  }
  shmem_barrier_all();
  shmem_finalize();
}
