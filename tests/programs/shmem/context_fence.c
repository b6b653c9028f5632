// shmem_fence orders the default context. A put of another context needs shmem_ctx_fence, and a
// flag of that context.
#include "pes.h"
// run: ranks=2
// output: got 7
// expect race: put @{put} load @{load}

int main(void) {
  begin();
  long* data = longs(4);
  long* flag = longs(1);
  shmem_ctx_t context;
  if (shmem_ctx_create(0, &context) != 0) return 1;
  const long values[4] = {7, 7, 7, 7};
  if (me == 0) {
    shmem_ctx_long_put(context, data, values, 4, 1); /*{put}*/
#ifdef FIXED
    shmem_ctx_fence(context);
    shmem_ctx_long_p(context, flag, 1, 1);
#else
    shmem_fence();
    shmem_long_p(flag, 1, 1);
#endif
  } else {
    shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
    printf("got %ld\n", data[3]); /*{load}*/
  }
  shmem_ctx_destroy(context);
  shmem_barrier_all();
  shmem_finalize();
}
