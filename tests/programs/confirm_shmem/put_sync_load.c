// shmem_sync_all completes no put. To go second, the put is deferred past it: the neighbor loads
// the old value.
#include "../shmem/pes.h"
// run: ranks=2
// output: got 101
// output buggy: got *
// expect confirmed, harmful: put @{put} load @{load}

int main(void) {
  begin();
  long* from_left = longs(1);
  const long value = 100 + me;
  shmem_long_put(from_left, &value, 1, (me + 1) % pes); /*{put}*/
#ifdef FIXED
  shmem_barrier_all();
#else
  shmem_sync_all();
#endif
  if (me == 0) printf("got %ld\n", *from_left); /*{load}*/
  shmem_barrier_all();
  shmem_finalize();
}
