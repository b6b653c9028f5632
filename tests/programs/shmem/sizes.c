// Forms by size and of memory, and overlap in part.
#include "pes.h"
// run: ranks=3
// output: done
// expect race: put @{bytes} put @{words}

int main(void) {
  begin();
  long* data = longs(8);
  const long values[8] = {0};
  if (me == 1) shmem_putmem(data, values, 20, 0); /*{bytes}*/
#ifdef FIXED
  if (me == 2) shmem_put32((int*)data + 5, values, 3, 0);
#else
  if (me == 2) shmem_put32((int*)data + 4, values, 4, 0); /*{words}*/
#endif
  shmem_barrier_all();
  if (me == 0) printf("done\n");
  shmem_finalize();
}
