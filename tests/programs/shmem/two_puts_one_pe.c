// Two puts of one PE to the same word may arrive in any order, unless shmem_fence orders them.
#include "pes.h"
// run: ranks=2
// output: got 2
// expect race: put @{first} put @{second}
// expect report buggy: Try: shmem_quiet (shmem_ctx_quiet for a context) between the two puts; shmem_fence is sufficient for their order.

int main(void) {
  begin();
  long* data = longs(4);
  const long one[4] = {1, 1, 1, 1}, two[4] = {2, 2, 2, 2};
  if (me == 0) {
    shmem_long_put(data, one, 4, 1); /*{first}*/
#ifdef FIXED
    shmem_fence();
#endif
    shmem_long_put(data, two, 4, 1); /*{second}*/
  }
  shmem_barrier_all();
  if (me == 1) printf("got %ld\n", data[0]);
  shmem_finalize();
}
