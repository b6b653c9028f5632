// The root returns from a broadcast before the others have their data. It may not put to their
// destination yet.
#include "pes.h"
// run: ranks=2
// output: done
// expect race: store @{broadcast} put @{put}

static long sync_words[SHMEM_BCAST_SYNC_SIZE];

int main(void) {
  begin();
  for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; ++i) sync_words[i] = SHMEM_SYNC_VALUE;
  long* source = longs(2);
  long* dest = longs(2);
  const long values[2] = {9, 9};
  shmem_broadcast64(dest, source, 2, 0, 0, 0, pes, sync_words); /*{broadcast}*/
#ifdef FIXED
  shmem_barrier_all();
#endif
  if (me == 0) shmem_long_put(dest, values, 2, 1); /*{put}*/
  shmem_barrier_all();
  if (me == 1) printf("done\n");
  shmem_finalize();
}
