// A lock protects, if all accesses hold it.
#include "pes.h"
// run: ranks=2
// output: done
// expect race: put @{put} get @{get}

static long lock;

int main(void) {
  begin();
  long* data = longs(1);
  if (me == 0) {
    shmem_set_lock(&lock);
    const long value = 1;
    shmem_long_put(data, &value, 1, 0); /*{put}*/
    shmem_quiet();
    shmem_clear_lock(&lock);
  } else {
    long value = 0;
#ifdef FIXED
    shmem_set_lock(&lock);
#endif
    shmem_long_get(&value, data, 1, 0); /*{get}*/
#ifdef FIXED
    shmem_clear_lock(&lock);
#endif
  }
  shmem_barrier_all();
  if (me == 0) printf("done\n");
  shmem_finalize();
}
