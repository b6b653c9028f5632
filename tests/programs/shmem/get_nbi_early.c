// The result of shmem_get_nbi is there when shmem_quiet returns.
#include "pes.h"
// run: ranks=2
// output: got 5
// output: done
// expect race: store @{get} load @{load}
// expect report buggy: Try: shmem_quiet (shmem_ctx_quiet for a context) before the program uses the result of shmem_get_nbi.

int main(void) {
  begin();
  long* data = longs(1);
  long* into = malloc(sizeof(long));
  into[0] = 0;
  data[0] = 5;
  shmem_barrier_all();
  if (me == 0) {
    shmem_long_get_nbi(into, data, 1, 1); /*{get}*/
#ifdef FIXED
    shmem_quiet();
#endif
    printf("got %ld\n", into[0]); /*{load}*/
    shmem_quiet();
    printf("done\n");
  }
  shmem_barrier_all();
  free(into);
  shmem_finalize();
}
