// shmem_sync of an active set: its own stores only.
#include "pes.h"
// run: ranks=3
// output: done
// expect race: put @{put} load @{load}

static long sync_words[SHMEM_BARRIER_SYNC_SIZE];

int main(void) {
  begin();
  for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; ++i) sync_words[i] = SHMEM_SYNC_VALUE;
  long* data = longs(2);
  const long values[2] = {1, 1};
  long seen = 0;
  if (me == 0) shmem_long_put(data, values, 2, 1); /*{put}*/
#ifdef FIXED
  if (me == 0) shmem_quiet();
#endif
  if (me < 2) shmem_sync(0, 0, 2, sync_words);
  if (me == 1) seen = data[1]; /*{load}*/
  shmem_barrier_all();
  if (me == 1 && seen <= 1) printf("done\n");
  shmem_finalize();
}
