// Two spin locks made with compare-and-swap, taken in opposite order: with the wrong order, both
// PEs poll forever. If PE 0 takes both before PE 1 has one, PE 1 tries each lock once in vain, or
// not: four orders, and four the other way around.
// run: ranks=2
// explore: all=9 outcomes=2
// outcome: finished
// hang: all PEs wait
// not explored: how often shmem_atomic_compare_swap at spins.c:15 repeats before the value changes
#include <shmem.h>
#include <stdio.h>

static long locks[2];

static void acquire(int which) {
  while (shmem_long_atomic_compare_swap(&locks[which], 0, 1, 0) != 0) shmem_quiet();
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  acquire(me);
  acquire(1 - me);
  shmem_long_atomic_set(&locks[1 - me], 0, 0);
  shmem_long_atomic_set(&locks[me], 0, 0);
  shmem_barrier_all();
  if (me == 0) printf("finished\n");
  shmem_finalize();
  return 0;
}
