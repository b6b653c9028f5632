// Two PEs take two locks in opposite order. PE 0 first at both, PE 1 first at both, or a deadlock.
// run: ranks=2
// explore: all=3 outcomes=2
// outcome: finished
// deadlock: 2
#include <shmem.h>
#include <stdio.h>

static long first, second;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  shmem_set_lock(me == 0 ? &first : &second);
  shmem_set_lock(me == 0 ? &second : &first);
  shmem_clear_lock(&first);
  shmem_clear_lock(&second);
  shmem_barrier_all();
  if (me == 0) printf("finished\n");
  shmem_finalize();
  return 0;
}
