// Loads and stores of another PE's memory, through shmem_ptr.
// run: ranks=2 groups=0;1;0,1
// build: pass=only
#include <shmem.h>
#include <stdio.h>

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), other = 1 - me;
  long* mine = shmem_calloc(16, sizeof(long));
  shmem_barrier_all();
  volatile long* theirs = shmem_ptr(mine, other);
  if (theirs == NULL) {
    printf("PE %d: not mapped\n", me);
    shmem_global_exit(1);
  }
  long polls = 0;
  theirs[me] = 11 + me;
  while (((volatile long*)mine)[other] == 0) ++polls;
  shmem_barrier_all();
  printf("PE %d: %p, found %ld and %ld after %ld polls\n", me, (void*)theirs, mine[other],
         (long)theirs[me], polls);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
