// UPC_IN_NOSYNC and UPC_OUT_NOSYNC synchronize nothing.
#include <stdio.h>
#include <upc_relaxed.h>
#include <upc_collective.h>
shared [] int source[2];
shared [2] int target[2 * THREADS];
#ifdef FIXED
#define MODE UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC
#else
#define MODE UPC_IN_NOSYNC | UPC_OUT_NOSYNC
#endif
int main(void) {
  upc_barrier;
  if (MYTHREAD == 1) source[0] = 5;  // race 1
  upc_all_broadcast(target, source, sizeof(int) * 2, MODE);  // race 1 2
  const int got = target[2 * ((MYTHREAD + 1) % THREADS)];  // race 2
  upc_barrier;
  if (MYTHREAD == 0) printf("done %d\n", got >= 0);
  return 0;
}
