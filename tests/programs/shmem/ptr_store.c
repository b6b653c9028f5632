// A store through shmem_ptr is an access to the other PE's memory.
#include "pes.h"
// run: ranks=2
// output: done
// expect race: store @{store} load @{load}

int main(void) {
  begin();
  long* data = longs(2);
  long seen = 0;
  if (me == 0) {
    long* there = shmem_ptr(data, 1);
    if (there != NULL) there[1] = 5; /*{store}*/
  }
#ifdef FIXED
  shmem_barrier_all();
#endif
  if (me == 1) seen = data[1]; /*{load}*/
  shmem_barrier_all();
  if (me == 1 && seen <= 5) printf("done\n");
  shmem_finalize();
}
