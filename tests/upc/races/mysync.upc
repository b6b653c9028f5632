// With UPC_OUT_MYSYNC, only a thread's own part is ready.
#include <stdio.h>
#include <upc_relaxed.h>
#include <upc_collective.h>
shared int source[THREADS];
shared [] int target[THREADS];
shared int sum;
int main(void) {
  source[MYTHREAD] = MYTHREAD;
  upc_all_reduceI(&sum, source, UPC_ADD, THREADS, 1, NULL, UPC_IN_MYSYNC | UPC_OUT_MYSYNC);  // race 1
#ifdef FIXED
  upc_barrier;
#endif
  const int got = sum;  // race 1
  upc_barrier;
  upc_all_gather(target, source, sizeof(int), UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC);
  if (MYTHREAD == 0) printf("done %d\n", got >= 0 && target[THREADS - 1] == THREADS - 1);
  return 0;
}
