// The origin buffer of shmem_put_nbi is in use until shmem_quiet.
#include "pes.h"
// run: ranks=2
// output: done
// expect race: load @{put} store @{store}
// expect report buggy: Try: shmem_quiet (shmem_ctx_quiet for a context) before the program reuses the buffer of shmem_put_nbi.

int main(void) {
  begin();
  long* data = longs(4);
  long* from = malloc(4 * sizeof(long));
  for (int i = 0; i < 4; ++i) from[i] = 1;
  if (me == 0) {
    shmem_long_put_nbi(data, from, 4, 1); /*{put}*/
#ifdef FIXED
    shmem_quiet();
#endif
    from[2] = 8; /*{store}*/
  }
  shmem_barrier_all();
  if (me == 1) printf("done\n");
  free(from);
  shmem_finalize();
}
