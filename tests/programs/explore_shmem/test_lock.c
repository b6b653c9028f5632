// Two PEs try a lock once: the second one fails as long as the first one has it. Two orders for
// each first PE.
// run: ranks=2
// explore: all=4 outcomes=3
// outcome: PE 0 got it
// outcome: PE 0 did not get it
// outcome: PE 1 did not get it
#include <shmem.h>
#include <stdio.h>

static long lock;

int main(void) {
  shmem_init();
  const int has = shmem_test_lock(&lock) == 0;
  if (has) shmem_clear_lock(&lock);
  printf("PE %d %s it\n", shmem_my_pe(), has ? "got" : "did not get");
  shmem_finalize();
  return 0;
}
