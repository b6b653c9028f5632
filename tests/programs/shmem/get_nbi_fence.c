// A fence orders no gets: the owner may store before the get has read. Advice: quiet, then the
// flag.
// run: ranks=2
// output: got 5
// expect race: get @{get} store @{store}
// expect report buggy: Try: *. If the get comes first, shmem_quiet before the flag (a fence does not order gets).
#include <shmem.h>
#include <stdio.h>

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  long *data = shmem_calloc(2, sizeof(long)), *flag = data + 1, got = 0;
  if (me == 1) data[0] = 5;
  shmem_barrier_all();
  if (me == 0) {
    shmem_long_get_nbi(&got, data, 1, 1); /*{get}*/
#ifdef FIXED
    shmem_quiet();
#else
    shmem_fence();
#endif
    shmem_long_p(flag, 1, 1);
    shmem_quiet();
    printf("got %ld\n", got);
  } else {
    shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
    data[0] = 6; /*{store}*/
  }
  shmem_barrier_all();
  shmem_finalize();
}
