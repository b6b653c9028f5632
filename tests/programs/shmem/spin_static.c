// PE 0 polls a lock word in its own static data with an atomic while PE 1 holds the lock and
// accesses other static data of PE 0. Open MPI 4.1 hangs here without Photofinish.
#include "pes.h"
// run: ranks=2
// output: sum 2
// expect no race

static long lock, total, spins;

int main(void) {
  begin();
  if (me == 0) {
    shmem_long_wait_until(&lock, SHMEM_CMP_NE, 0);  // PE 1 holds it
    shmem_long_p(&spins, 1, 1);
    shmem_quiet();
  }
  while (shmem_long_atomic_compare_swap(&lock, 0, 1, 0) != 0) continue;
  if (me == 1) shmem_long_wait_until(&spins, SHMEM_CMP_EQ, 1);
  shmem_long_p(&total, shmem_long_g(&total, 0) + 1, 0);
  shmem_quiet();
  shmem_long_atomic_set(&lock, 0, 0);
  shmem_barrier_all();
  if (me == 0) printf("sum %ld\n", total);
  shmem_finalize();
}
