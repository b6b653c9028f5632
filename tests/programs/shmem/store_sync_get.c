// shmem_sync_all orders a PE's own stores before the gets of others. A get is complete when it
// returns.
#include "pes.h"
// run: ranks=2
// output: got 5
// expect race: store @{store} get @{get}

int main(void) {
  begin();
  long* data = longs(1);
  if (me == 1) data[0] = 5; /*{store}*/
#ifdef FIXED
  shmem_sync_all();
#endif
  if (me == 0) {
    long value = 0;
    shmem_long_get(&value, data, 1, 1); /*{get}*/
    printf("got %ld\n", value);
  }
  shmem_sync_all();
  shmem_finalize();
}
