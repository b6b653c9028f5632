// shmem_malloc and shmem_free contain a barrier.
#include "pes.h"
// run: ranks=2
// output: got 4 6
// expect no race

int main(void) {
  begin();
  long* data = longs(2);
  const long first = 4, second = 6;
  if (me == 0) shmem_long_put(&data[0], &first, 1, 1);
  long* other = shmem_malloc(sizeof(long));
  const long seen = data[0];
  if (me == 0) shmem_long_put(&data[1], &second, 1, 1);
  shmem_free(other);
  if (me == 1) printf("got %ld %ld\n", seen, data[1]);
  shmem_barrier_all();
  shmem_finalize();
}
