// As flag_and_answer.c, but PE 0 waits in shmem_sync_all.
#include "../shmem/pes.h"
// run: ranks=2
// output: together
// expect confirmed: put @{put} load @{load}

int main(void) {
  begin();
  long* flag = longs(1);
  if (me == 0) shmem_long_p(flag, 1, 1); /*{put}*/
  if (me == 1) {
#ifndef FIXED
    const long early = *flag; /*{load}*/
    if (early != 0 && early != 1) printf("wrong\n");
#endif
    shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
  }
  shmem_sync_all();
  if (me == 0) printf("together\n");
  shmem_barrier_all();
  shmem_finalize();
}
