// The race has no effect, but each run prints its process id: outcomes vary in every order.
#include <unistd.h>

#include "../shmem/pes.h"
// run: ranks=2
// output: accepted *
// expect confirmed, unstable: put @{put} load @{load}

int main(void) {
  begin();
  long* data = longs(1);
  if (me == 0) shmem_long_p(data, 7, 1); /*{put}*/
#ifdef FIXED
  shmem_barrier_all();
#endif
  if (me == 1) {
    const long got = *data; /*{load}*/
    printf("%s %d\n", got == 0 || got == 7 ? "accepted" : "wrong", (int)getpid());
  }
  shmem_barrier_all();
  shmem_finalize();
}
