// A put to the own PE is complete after shmem_quiet, as any other.
#include "pes.h"
// run: ranks=2
// output: got 3
// expect race: put @{put} load @{load}

int main(void) {
  begin();
  long* data = longs(2);
  const long values[2] = {3, 3};
  if (me == 0) {
    shmem_long_put(data, values, 2, 0); /*{put}*/
#ifdef FIXED
    shmem_quiet();
#endif
    printf("got %ld\n", data[1]); /*{load}*/
  }
  shmem_barrier_all();
  shmem_finalize();
}
