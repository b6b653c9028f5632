// The same as wait_until.c for two PEs, and the flag is put: there is one order, as far as it is
// controlled.
// run: ranks=2
// explore: all=1 outcomes=1
// outcome: PE 1 got 1
// not explored: the order of puts and gets: see photofinish confirm
#include <shmem.h>
#include <stdio.h>

static int counter, flag;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  if (me == 1) shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
  const int got = shmem_int_atomic_fetch_inc(&counter, 0);
  if (me == 0) shmem_int_p(&flag, 1, 1);
  printf("PE %d got %d\n", me, got);
  shmem_finalize();
  return 0;
}
