// Strided puts touch every other element only.
#include "pes.h"
// run: ranks=3
// output: done
// expect race: put @{even} put @{odd}

int main(void) {
  begin();
  long* data = longs(16);
  const long values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  if (me == 1) shmem_long_iput(data, values, 2, 1, 8, 0); /*{even}*/
#ifdef FIXED
  if (me == 2) shmem_long_iput(data + 1, values, 2, 1, 8, 0);
#else
  if (me == 2) shmem_long_iput(data, values, 4, 2, 4, 0); /*{odd}*/
#endif
  shmem_barrier_all();
  if (me == 0) printf("done\n");
  shmem_finalize();
}
