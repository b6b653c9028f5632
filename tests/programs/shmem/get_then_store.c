// A get is complete when it returns: after a synchronization the owner may store again.
#include "pes.h"
// run: ranks=2
// output: got 5
// expect race: get @{get} store @{store}
// expect report buggy: Try: shmem_barrier_all between them (shmem_sync_all completes no put). Without a barrier: shmem_wait_until before the second access, for a flag that is set after the first.

int main(void) {
  begin();
  long* data = longs(1);
  data[0] = 5;
  shmem_barrier_all();
  long value = 0;
  if (me == 0) shmem_long_get(&value, data, 1, 1); /*{get}*/
#ifdef FIXED
  shmem_sync_all();
#endif
  if (me == 1) data[0] = 6; /*{store}*/
  shmem_barrier_all();
  if (me == 0) printf("got %ld\n", value);
  shmem_finalize();
}
