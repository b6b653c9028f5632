// A matrix is transposed three ways: by strided puts, by gets, and by alltoall. A work array is
// used again after a barrier.
#include "pes.h"
// run: ranks=4
// output: errors 0
// expect no race

enum { kBlock = 6, kMostPes = 4, kRows = kBlock * kMostPes };

static long sync[SHMEM_ALLTOALL_SYNC_SIZE];

static long value(long row, long column) { return 100 * row + column; }

// Columns of this PE's block, of all rows.
static long errors(const long* block) {
  long count = 0;
  for (long column = 0; column < kBlock; ++column)
    for (long row = 0; row < kBlock * pes; ++row)
      count += block[column * kRows + row] != value(row, me * kBlock + column);
  return count;
}

int main(void) {
  begin();
  for (int i = 0; i < SHMEM_ALLTOALL_SYNC_SIZE; ++i) sync[i] = SHMEM_SYNC_VALUE;
  long* from = longs(kBlock * kRows);
  long* by_put = longs(kBlock * kRows);
  long* by_get = longs(kBlock * kRows);
  long* packed = longs(kBlock * kRows);
  long* exchanged = longs(kBlock * kRows);
  for (long row = 0; row < kBlock; ++row)
    for (long column = 0; column < kBlock * pes; ++column)
      from[row * kRows + column] = value(me * kBlock + row, column);
  shmem_barrier_all();
  for (int pe = 0; pe < pes; ++pe)
    for (int row = 0; row < kBlock; ++row)
      shmem_long_iput(&by_put[me * kBlock + row], &from[row * kRows + pe * kBlock], kRows, 1,
                      kBlock, pe);
  for (int pe = 0; pe < pes; ++pe)
    for (int row = 0; row < kBlock; ++row)
      shmem_long_iget(&by_get[pe * kBlock + row], &from[row * kRows + me * kBlock], kRows, 1,
                      kBlock, pe);
  for (int pe = 0; pe < pes; ++pe)
    for (int row = 0; row < kBlock; ++row)
      for (int column = 0; column < kBlock; ++column)
        packed[(pe * kBlock + column) * kBlock + row] = from[row * kRows + pe * kBlock + column];
  shmem_barrier_all();
  shmem_alltoall64(exchanged, packed, kBlock * kBlock, 0, 0, pes, sync);
  long wrong = errors(by_put) + errors(by_get);
  for (int pe = 0; pe < pes; ++pe)
    for (int column = 0; column < kBlock; ++column)
      for (int row = 0; row < kBlock; ++row)
        wrong += exchanged[(pe * kBlock + column) * kBlock + row] !=
                 value(pe * kBlock + row, me * kBlock + column);
  shmem_barrier_all();
  shmem_alltoall64(packed, exchanged, 1, 0, 0, pes, sync);
  long* total = longs(1);
  shmem_long_atomic_add(total, wrong, 0);
  shmem_barrier_all();
  if (me == 0) printf("errors %ld\n", total[0]);
  shmem_finalize();
}
