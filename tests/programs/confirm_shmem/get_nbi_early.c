// The buffer of a nonblocking get is loaded before shmem_quiet: the value may be there or not.
#include "../shmem/pes.h"
// run: ranks=2
// output: got 5
// output buggy: got *
// expect confirmed, harmful: store @{get} load @{load}

int main(void) {
  begin();
  static long buffer[1];
  long* data = longs(1);
  *data = 5;
  shmem_barrier_all();
  if (me == 0) {
    shmem_long_get_nbi(buffer, data, 1, 1); /*{get}*/
#ifdef FIXED
    shmem_quiet();
#endif
    printf("got %ld\n", buffer[0]); /*{load}*/
    shmem_quiet();
  }
  shmem_barrier_all();
  shmem_finalize();
}
