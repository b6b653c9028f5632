// The owner reads its memory without the lock that others hold when they put to it.
#include "pes.h"
// run: ranks=2
// output: done
// expect race: put @{put} load @{load}

static long lock, total;

int main(void) {
  begin();
  long seen = 0;
  if (me == 1) {
    shmem_set_lock(&lock);
    shmem_long_p(&total, 5, 0); /*{put}*/
    shmem_clear_lock(&lock);
  } else {
#ifdef FIXED
    shmem_set_lock(&lock);
#endif
    seen = total; /*{load}*/
#ifdef FIXED
    shmem_clear_lock(&lock);
#endif
  }
  shmem_barrier_all();
  if (me == 0 && seen <= 5) printf("done\n");
  shmem_finalize();
}
