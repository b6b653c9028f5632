// Integer sort: a histogram by atomics, counts by alltoall, keys by put to offsets that were
// computed from the counts, and a check of the borders by get.
#include "pes.h"
// run: ranks=4
// output: sorted 800
// expect no race

enum { kKeys = 200, kRange = 4096, kMostPes = 8 };

static long sync[SHMEM_ALLTOALL_SYNC_SIZE];

static int by_value(const void* a, const void* b) {
  const long one = *(const long*)a, other = *(const long*)b;
  return one < other ? -1 : one > other;
}

int main(void) {
  begin();
  for (int i = 0; i < SHMEM_ALLTOALL_SYNC_SIZE; ++i) sync[i] = SHMEM_SYNC_VALUE;
  long* to_each = longs(kMostPes);
  long* from_each = longs(kMostPes);
  long* expected = longs(1);  // keys that come to this PE
  long* sorted = longs(kKeys * kMostPes);
  long keys[kKeys], offsets[kMostPes] = {0};
  unsigned long state = 12345 + (unsigned long)me;
  for (int i = 0; i < kKeys; ++i) {
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    keys[i] = (long)(state >> 40) % kRange;
    ++to_each[keys[i] * pes / kRange];
  }
  for (int pe = 0; pe < pes; ++pe) shmem_long_atomic_add(expected, to_each[pe], pe);
  shmem_barrier_all();
  shmem_alltoall64(from_each, to_each, 1, 0, 0, pes, sync);
  // Where the keys of this PE begin on each other one: those of lower PEs come first.
  for (int pe = 0; pe < pes; ++pe)
    for (int lower = 0; lower < me; ++lower) offsets[pe] += shmem_long_g(&to_each[pe], lower);
  for (int i = 0; i < kKeys; ++i) {
    const int pe = (int)(keys[i] * pes / kRange);
    shmem_long_put_nbi(&sorted[offsets[pe]++], &keys[i], 1, pe);
  }
  shmem_barrier_all();
  long count = 0;
  for (int pe = 0; pe < pes; ++pe) count += from_each[pe];
  qsort(sorted, (size_t)count, sizeof *sorted, by_value);
  shmem_barrier_all();
  int right = count == expected[0];
  if (me > 0)
    right &= shmem_long_g(&sorted[shmem_long_g(expected, me - 1) - 1], me - 1) <= sorted[0];
  long* total = longs(1);
  if (right) shmem_long_atomic_add(total, count, 0);
  shmem_barrier_all();
  if (me == 0) printf("sorted %ld\n", total[0]);
  shmem_finalize();
}
