// The owner stores to memory that another PE puts to.
#include "pes.h"
// run: ranks=2
// output: done
// expect race: store @{store} put @{put}

int main(void) {
  begin();
  long* data = longs(8);
  const long value = 3;
  if (me == 0) shmem_long_put(&data[5], &value, 1, 1); /*{put}*/
#ifdef FIXED
  if (me == 1) data[6] = 4;
#else
  if (me == 1) data[5] = 4; /*{store}*/
#endif
  shmem_barrier_all();
  if (me == 0) printf("done\n");
  shmem_finalize();
}
