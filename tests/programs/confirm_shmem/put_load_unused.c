// The loaded value does not matter: it is 0 or 7, and both are accepted.
#include "../shmem/pes.h"
// run: ranks=2
// output: accepted
// expect confirmed, same outcome: put @{put} load @{load}

int main(void) {
  begin();
  long* data = longs(1);
  if (me == 0) shmem_long_p(data, 7, 1); /*{put}*/
#ifdef FIXED
  shmem_barrier_all();
#endif
  if (me == 1) {
    const long got = *data; /*{load}*/
    printf("%s\n", got == 0 || got == 7 ? "accepted" : "wrong");
  }
  shmem_barrier_all();
  shmem_finalize();
}
