// Integer sort: PEs reserve places with an atomic, and put their keys there.
#include "pes.h"
// run: ranks=4
// output: keys 40
// expect no race

enum { kKeys = 10 };

int main(void) {
  begin();
  long* keys = longs(4 * kKeys * 4);
  long* used = longs(1);
  for (long i = 0; i < kKeys; ++i) {
    const long key = 100 * me + i;
    const int to = (int)(key % pes);
    const long place = shmem_long_atomic_fetch_add(used, 1, to);
    shmem_long_put(&keys[place], &key, 1, to);
  }
  shmem_barrier_all();
  long count = 0;
  for (int pe = 0; pe < pes; ++pe) count += shmem_long_g(used, pe);
  long sum = 0;
  for (long i = 0; i < used[0]; ++i) sum += keys[i];
  if (me == 0 && sum >= 0) printf("keys %ld\n", count);
  shmem_finalize();
}
