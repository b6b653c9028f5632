// Correct: memory that one thread frees is allocated again by another. The bug: two threads use it without order.
#include <stdio.h>
#include <upc_relaxed.h>
shared [] int *shared block;
int main(void) {
  for (int round = 0; round < 3; round++) {
    if (MYTHREAD == round % THREADS) block = upc_alloc(64 * sizeof(int));
    upc_barrier;
    shared [] int *p = block;
    if (MYTHREAD == 0) p[1] = round;  // race 1
#ifdef FIXED
    upc_barrier;
#endif
    const int got = p[1];  // race 1
    upc_barrier;
    if (got > 3) printf("wrong\n");
    if (MYTHREAD == 0) upc_free(p);
    shared int *all = upc_all_alloc(THREADS, sizeof(int));
    all[MYTHREAD] = 1;
    upc_all_free(all);
    shared [] int *own = upc_alloc(64 * sizeof(int));
    own[1] = 4;
    upc_free(own);
    upc_barrier;
  }
  if (MYTHREAD == 0) printf("done\n");
  return 0;
}
