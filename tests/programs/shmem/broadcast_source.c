// The root's source must be complete before the broadcast.
#include "pes.h"
// run: ranks=2
// output: done
// expect race: put @{put} load @{broadcast}

static long sync_words[SHMEM_BCAST_SYNC_SIZE];

int main(void) {
  begin();
  for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; ++i) sync_words[i] = SHMEM_SYNC_VALUE;
  long* source = longs(2);
  long* dest = longs(2);
  const long values[2] = {9, 9};
  if (me == 1) shmem_long_put(source, values, 2, 0); /*{put}*/
#ifdef FIXED
  shmem_barrier_all();
#endif
  shmem_broadcast64(dest, source, 2, 0, 0, 0, pes, sync_words); /*{broadcast}*/
  shmem_barrier_all();
  if (me == 1) printf("done\n");
  shmem_finalize();
}
