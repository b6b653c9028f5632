// Reductions of all PEs: source and result are symmetric.
#include "pes.h"
// run: ranks=4
// output: sum 10
// expect no race

static long sync_words[SHMEM_REDUCE_SYNC_SIZE], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 1];
static long part, sum;

int main(void) {
  begin();
  for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i) sync_words[i] = SHMEM_SYNC_VALUE;
  part = me + 1;
  shmem_barrier_all();
  shmem_long_sum_to_all(&sum, &part, 1, 0, 0, pes, work, sync_words);
  if (me == 3) printf("sum %ld\n", sum);
  shmem_barrier_all();
  shmem_finalize();
}
