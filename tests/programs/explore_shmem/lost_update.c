// Two PEs read and then set a counter, each with its own atomic: an update is lost unless one PE
// makes both before the other one. Six orders of two times two operations, two of them right.
// run: ranks=2
// explore: all=6 outcomes=2
// outcome: counter 2
// outcome: counter 1
#include <shmem.h>
#include <stdio.h>

static long counter;

int main(void) {
  shmem_init();
  shmem_long_atomic_set(&counter, shmem_long_atomic_fetch(&counter, 1) + 1, 1);
  shmem_barrier_all();
  if (shmem_my_pe() == 1) printf("counter %ld\n", counter);
  shmem_finalize();
  return 0;
}
