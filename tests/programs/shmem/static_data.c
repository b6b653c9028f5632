// Static data is symmetric: its address differs from PE to PE, its place in the program does not.
#include "pes.h"
// run: ranks=2
// output: done
// expect race: put @{put} load @{load}
// expect report buggy: Put of 8 bytes by PE 0 into PE 1, `grid` +0x20..0x28

static long grid[8];

int main(void) {
  begin();
  const long value = 3;
  if (me == 0) shmem_long_put(&grid[4], &value, 1, 1); /*{put}*/
#ifdef FIXED
  shmem_barrier_all();
#endif
  long seen = 0;
  if (me == 1) seen = grid[4]; /*{load}*/
  shmem_barrier_all();
  if (me == 1 && (seen == 0 || seen == 3)) printf("done\n");
  shmem_finalize();
}
