// shmem_clear_lock completes the puts before it releases the lock.
#include "pes.h"
// run: ranks=3
// output: sum 30
// expect no race

static long lock, total;

int main(void) {
  begin();
  for (int i = 0; i < 10; ++i) {
    shmem_set_lock(&lock);
    const long value = shmem_long_g(&total, 0) + 1;
    shmem_long_p(&total, value, 0);
    shmem_clear_lock(&lock);
  }
  shmem_barrier_all();
  if (me == 0) printf("sum %ld\n", total);
  shmem_finalize();
}
