// Atomics of different sizes are not atomic to each other.
#include "pes.h"
// run: ranks=3
// output: done
// expect race: atomic @{wide} atomic @{narrow}
// expect report buggy: Try: the same type in both atomics.

int main(void) {
  begin();
  long* counter = longs(1);
  if (me == 1) shmem_long_atomic_add(counter, 1, 0); /*{wide}*/
#ifdef FIXED
  if (me == 2) shmem_long_atomic_inc(counter, 0);
#else
  if (me == 2) shmem_int_atomic_inc((int*)counter, 0); /*{narrow}*/
#endif
  shmem_barrier_all();
  if (me == 0) printf("done\n");
  shmem_finalize();
}
