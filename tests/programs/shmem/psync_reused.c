// pSync and pWrk may be used again when all PEs have returned from the call with them.
#include "pes.h"
// run: ranks=4
// output: sum 10 4
// expect race: update @{second} store @{first}
// expect report buggy: Try: other work arrays (pSync, pWrk) for the second call, or shmem_barrier_all between *

static long sync_words[SHMEM_REDUCE_SYNC_SIZE], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 1];
static long part, sum, largest;

int main(void) {
  begin();
  for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i) sync_words[i] = SHMEM_SYNC_VALUE;
  part = me + 1;
  shmem_barrier_all();
  shmem_long_sum_to_all(&sum, &part, 1, 0, 0, pes, work, sync_words); /*{first}*/
#ifdef FIXED
  shmem_barrier_all();
#endif
  shmem_long_max_to_all(&largest, &part, 1, 0, 0, pes, work, sync_words); /*{second}*/
  shmem_barrier_all();
  if (me == 3) printf("sum %ld %ld\n", sum, largest);
  shmem_finalize();
}
