// shmem_sync_all synchronizes, and completes no put. shmem_barrier_all does both.
#include "pes.h"
// run: ranks=2
// output: got 7
// expect race: put @{put} load @{load}
// expect report buggy: Put of 8 bytes by PE 0 into PE 1, symmetric heap block +0x0..0x8
// expect report buggy: Try: shmem_barrier_all between them (shmem_sync_all completes no put).*

int main(void) {
  begin();
  long* data = longs(1);
  const long value = 7;
  if (me == 0) shmem_long_put(data, &value, 1, 1); /*{put}*/
#ifdef FIXED
  shmem_barrier_all();
#else
  shmem_sync_all();
#endif
  if (me == 1) printf("got %ld\n", data[0]); /*{load}*/
  shmem_barrier_all();
  shmem_free(data);
  shmem_finalize();
}
