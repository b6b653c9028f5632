// shmem_barrier_all completes the operations of the default context only.
#include "pes.h"
// run: ranks=2
// output: done
// expect race: put @{put} load @{load}
// expect report buggy: Try: shmem_ctx_quiet for the context, and then shmem_barrier_all, between them (shmem_barrier_all completes only the default context). *

int main(void) {
  begin();
  long* data = longs(2);
  shmem_ctx_t context;
  if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &context) != 0) return 1;
  const long values[2] = {4, 4};
  if (me == 0) shmem_ctx_long_put(context, data, values, 2, 1); /*{put}*/
#ifdef FIXED
  shmem_ctx_quiet(context);
#else
  shmem_quiet();
#endif
  shmem_barrier_all();
  if (me == 1) printf("got %ld\ndone\n", data[1]); /*{load}*/
  shmem_barrier_all();
  shmem_ctx_destroy(context);
  shmem_finalize();
}
