// Two PEs increment a counter with get and put, without a lock: updates are lost.
#include "../shmem/pes.h"
// run: ranks=2
// output: counter 20
// output buggy: counter *
// expect confirmed: get @{get} put @{put}
// expect race: put @{put} put @{put}

int main(void) {
  begin();
  long* counter = longs(1);
  for (int i = 0; i < 10; ++i) {
#ifdef FIXED
    shmem_long_atomic_inc(counter, 0);
#else
    const long value = shmem_long_g(counter, 0); /*{get}*/
    shmem_long_p(counter, value + 1, 0);         /*{put}*/
    shmem_quiet();
#endif
  }
  shmem_barrier_all();
  if (me == 0) printf("counter %ld\n", *counter);
  shmem_barrier_all();
  shmem_finalize();
}
