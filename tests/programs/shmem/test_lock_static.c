// PE 0 polls a lock in static data with shmem_test_lock while PE 1 holds it and accesses other
// static data of PE 0. Open MPI 4.1 hangs here without Photofinish.
#include "pes.h"
// run: ranks=2
// output: sum 2
// expect no race

static long lock, total, held, spins;

int main(void) {
  begin();
  if (me == 0) {
    shmem_long_wait_until(&held, SHMEM_CMP_EQ, 1);
    shmem_long_p(&spins, 1, 1);
    shmem_quiet();
  }
  while (shmem_test_lock(&lock) != 0) continue;
  if (me == 1) {
    shmem_long_p(&held, 1, 0);
    shmem_long_wait_until(&spins, SHMEM_CMP_EQ, 1);
  }
  shmem_long_p(&total, shmem_long_g(&total, 0) + 1, 0);
  shmem_clear_lock(&lock);
  shmem_barrier_all();
  if (me == 0) printf("sum %ld\n", total);
  shmem_finalize();
}
