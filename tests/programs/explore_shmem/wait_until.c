// PE 1 increments a counter after PE 0, because it waits for a flag. PE 2 comes before, between, or
// after them.
// run: ranks=3
// explore: all=3 outcomes=3
// outcome: PE 2 got 0
// outcome: PE 2 got 1
// outcome: PE 2 got 2
#include <shmem.h>
#include <stdio.h>

static int counter, flag;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  if (me == 1) shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
  const int got = shmem_int_atomic_fetch_inc(&counter, 2);
  if (me == 0) shmem_int_atomic_set(&flag, 1, 1);
  printf("PE %d got %d\n", me, got);
  shmem_finalize();
  return 0;
}
