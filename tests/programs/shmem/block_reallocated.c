// Three blocks are at one address in turn. The report names the one that the race is in.
// run: ranks=2
// output: done
// expect race: put @{put} store @{store}
// expect report buggy: symmetric heap block of 256 bytes allocated by shmem_malloc in main *block_reallocated.c:17
#include <shmem.h>
#include <stdio.h>

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  const long value = 7;
  long* block = shmem_malloc(128);
  block[0] = 1;
  shmem_free(block);

  block = shmem_malloc(256);
  block[3] = 0; /*{store}*/
#ifdef FIXED
  shmem_barrier_all();
#endif
  shmem_long_put(block + 3, &value, 1, 1 - me); /*{put}*/
  shmem_barrier_all();
  block = shmem_realloc(block, 4096);
  block[300] = 1;
  shmem_free(block);
  if (me == 0) printf("done\n");
  shmem_finalize();
}
