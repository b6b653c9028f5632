// A fence orders the operations on one PE only. The data for PE 1 is deferred past the flag for PE
// 2, which passes it on: PE 1 loads old data.
#include "../shmem/pes.h"
// run: ranks=3
// output: got 7
// output buggy: got *
// expect confirmed, harmful: put @{put} load @{load}

int main(void) {
  begin();
  long* data = longs(2);
  long* flag = data + 1;
  if (me == 0) {
    shmem_long_p(data, 7, 1); /*{put}*/
#ifdef FIXED
    shmem_quiet();
#else
    shmem_fence();
#endif
    shmem_long_p(flag, 1, 2);
  }
  if (me == 2) {
    shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
    shmem_long_p(flag, 1, 1);
  }
  if (me == 1) {
    shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
    printf("got %ld\n", *data); /*{load}*/
  }
  shmem_barrier_all();
  shmem_finalize();
}
