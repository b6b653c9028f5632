// Each PE puts a value into its right neighbor, which prints it. shmem_sync_all does not complete
// the put. With -DFIXED, shmem_barrier_all does.
#include <shmem.h>
#include <stdio.h>

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  long* from_left = shmem_malloc(sizeof(long));
  const long value = 100 + me;
  shmem_long_put(from_left, &value, 1, (me + 1) % pes);
#ifdef FIXED
  shmem_barrier_all();
#else
  shmem_sync_all();
#endif
  if (me == 0) printf("PE 0 got %ld\n", *from_left);
  shmem_barrier_all();
  shmem_free(from_left);
  shmem_finalize();
}
