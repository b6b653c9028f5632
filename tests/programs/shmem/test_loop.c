// shmem_test that returns true orders as shmem_wait_until does.
#include "pes.h"
// run: ranks=2
// output: got 7
// expect race: put @{put} load @{load}

int main(void) {
  begin();
  int* data = shmem_malloc(4 * sizeof(int));
  int* flag = shmem_calloc(1, sizeof(int));
  const int values[4] = {7, 7, 7, 7};
  shmem_barrier_all();
  if (me == 0) {
    shmem_int_put(data, values, 4, 1); /*{put}*/
#ifdef FIXED
    shmem_fence();
#endif
    shmem_int_p(flag, 1, 1);
  } else {
    while (!shmem_int_test(flag, SHMEM_CMP_EQ, 1)) continue;
    printf("got %d\n", data[3]); /*{load}*/
  }
  shmem_barrier_all();
  shmem_finalize();
}
