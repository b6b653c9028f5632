// The load finds an index, or none yet: then the PE ends with an error.
#include <unistd.h>

#include "../shmem/pes.h"
// run: ranks=2
// output: found 3
// expect confirmed, harmful: put @{put} load @{load}

int main(void) {
  static long index = -1;
  static const long values[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  begin();
  shmem_barrier_all();
  if (me == 0) {
    shmem_long_p(&index, 3, 1); /*{put}*/
    shmem_quiet();
  }
#ifdef FIXED
  shmem_barrier_all();
#endif
  if (me == 1) {
#ifndef FIXED
    usleep(300000);
#endif
    const long at = index; /*{load}*/
    if (at < 0) shmem_global_exit(3);
    printf("found %ld\n", values[at]);
  }
  shmem_barrier_all();
  shmem_finalize();
}
