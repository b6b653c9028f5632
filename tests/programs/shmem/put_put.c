// Two PEs put to the same word of a third one.
#include "pes.h"
// run: ranks=3
// output: got 2
// output: done
// expect race: put @{first} put @{second}

int main(void) {
  begin();
  long* data = longs(2);
  const long value = me;
  if (me == 1) shmem_long_put(data, &value, 1, 0); /*{first}*/
#ifdef FIXED
  shmem_barrier_all();
#endif
  if (me == 2) shmem_long_put(data, &value, 1, 0); /*{second}*/
  shmem_barrier_all();
  if (me == 0) printf("got %ld\ndone\n", data[0]);
  shmem_finalize();
}
