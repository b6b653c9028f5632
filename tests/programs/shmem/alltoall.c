// The destination of shmem_alltoall64 is complete when the call returns; that of a put is not.
#include "pes.h"
// run: ranks=3
// output: done
// expect race: put @{put} load @{load}

static long sync_words[SHMEM_ALLTOALL_SYNC_SIZE];

int main(void) {
  begin();
  for (int i = 0; i < SHMEM_ALLTOALL_SYNC_SIZE; ++i) sync_words[i] = SHMEM_SYNC_VALUE;
  long* source = longs(3);
  long* dest = longs(3);
  for (int i = 0; i < 3; ++i) source[i] = 10 * me + i;
  shmem_barrier_all();
#ifdef FIXED
  shmem_alltoall64(dest, source, 1, 0, 0, pes, sync_words);
#else
  for (int pe = 0; pe < pes; ++pe) shmem_long_put(&dest[me], &source[pe], 1, pe); /*{put}*/
  shmem_sync_all();
#endif
  if (me == 0 && dest[2] >= 0) printf("done\n"); /*{load}*/
  shmem_barrier_all();
  shmem_finalize();
}
