// One PE ends the program with a code of its own.
// run: ranks=2 groups=0 exit=nonzero replay_exit=7
#include <shmem.h>
#include <stdio.h>

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  long* count = shmem_calloc(1, sizeof(long));
  shmem_barrier_all();
  shmem_long_atomic_add(count, me + 3, 0);
  shmem_barrier_all();
  if (me == 0) {
    printf("ending with %ld\n", *count);
    fflush(stdout);
    shmem_global_exit((int)*count);
  }
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
