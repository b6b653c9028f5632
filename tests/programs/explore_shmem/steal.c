// Work stealing with compare-and-swap: two thieves read the head of a queue with one task and try
// to take it, as in ../explore/steal.c. Six orders of the atomics; the winner and the failed
// attempts differ.
// run: ranks=3
// explore: all=6 outcomes=4
// outcome: thief 1: 1 won, 0 failed
// outcome: thief 2: 1 won, 0 failed
// outcome: thief 1: 0 won, 1 failed
// outcome: thief 2: 0 won, 1 failed
#include <shmem.h>
#include <stdio.h>

int main(void) {
  int won = 0, failed = 0;
  shmem_init();
  const int me = shmem_my_pe();
  long* head = shmem_malloc(2 * sizeof(long));
  head[0] = head[1] = 0;
  shmem_barrier_all();
  while (me > 0) {
    const long seen = shmem_long_atomic_fetch(&head[1], 0);
    if (seen == 1) break;
    if (shmem_long_atomic_compare_swap(&head[1], seen, 1, 0) == seen) {
      won = 1;
      break;
    }
    ++failed;
  }
  if (me > 0) printf("thief %d: %d won, %d failed\n", me, won, failed);
  shmem_finalize();
  return 0;
}
