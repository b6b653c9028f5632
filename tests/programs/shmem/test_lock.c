// shmem_test_lock that returns 0 holds the lock.
#include "pes.h"
// run: ranks=2
// output: sum 2
// expect no race

int main(void) {
  begin();
  long* lock = longs(1);
  long* total = longs(1);
  while (shmem_test_lock(lock) != 0) continue;
  shmem_long_p(total, shmem_long_g(total, 0) + 1, 0);
  shmem_clear_lock(lock);
  shmem_barrier_all();
  if (me == 0) printf("sum %ld\n", total[0]);
  shmem_finalize();
}
