// A transposed matrix: each PE puts a block to each other one.
#include "pes.h"
// run: ranks=4
// output: right
// expect race: put @{put} load @{load}

enum { kBlock = 4 };

int main(void) {
  begin();
  long* from = longs(4 * kBlock);
  long* to = longs(4 * kBlock);
  for (int i = 0; i < pes * kBlock; ++i) from[i] = 1000 * me + i;
  for (int pe = 0; pe < pes; ++pe)
    shmem_long_put(&to[me * kBlock], &from[pe * kBlock], kBlock, pe); /*{put}*/
#ifdef FIXED
  shmem_barrier_all();
#endif
  long sum = 0;
  for (int i = 0; i < pes * kBlock; ++i) sum += to[i]; /*{load}*/
  shmem_barrier_all();
  if (me == 0 && sum <= 1000 * 6 * kBlock + 24) printf("right\n");
  shmem_finalize();
}
