// A barrier of an active set orders its members only.
#include "pes.h"
// run: ranks=3
// output: done
// expect race: put @{put} get @{get}

static long sync_words[SHMEM_BARRIER_SYNC_SIZE];

int main(void) {
  begin();
  for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; ++i) sync_words[i] = SHMEM_SYNC_VALUE;
  long* data = longs(1);
  const long value = 1;
  long seen = 0;
  if (me == 0) shmem_long_put(data, &value, 1, 1); /*{put}*/
#ifdef FIXED
  shmem_barrier(0, 0, 3, sync_words);
#else
  if (me < 2) shmem_barrier(0, 0, 2, sync_words);
#endif
  if (me == 2) shmem_long_get(&seen, data, 1, 1); /*{get}*/
  shmem_barrier_all();
  if (me == 2) printf("done\n");
  shmem_finalize();
}
