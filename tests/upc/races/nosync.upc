// With UPC_IN_NOSYNC, a collective may read a part as soon as any thread has entered it. Each
// thread stores its part just before its own call.
#include <stdio.h>
#include <upc_relaxed.h>
#include <upc_collective.h>
shared [] int source[2];
shared [2] int target[2 * THREADS];
shared int part[THREADS];
shared [] int gathered[THREADS];
shared [8] int everywhere[8 * THREADS];
shared int sum;
#ifdef FIXED
#define SYNCHRONIZE upc_barrier
#else
#define SYNCHRONIZE
#endif
int main(void) {
  if (MYTHREAD == 0) source[0] = 5;  // race 1
  SYNCHRONIZE;
  upc_all_broadcast(target, source, sizeof(int) * 2, UPC_IN_NOSYNC | UPC_OUT_ALLSYNC);  // race 1
  part[MYTHREAD] = 1;  // race 2
  SYNCHRONIZE;
  upc_all_gather(gathered, part, sizeof(int), UPC_IN_NOSYNC | UPC_OUT_ALLSYNC);  // race 2
  part[MYTHREAD] = 2;  // race 3
  SYNCHRONIZE;
  upc_all_gather_all(everywhere, part, sizeof(int), UPC_IN_NOSYNC | UPC_OUT_ALLSYNC);  // race 3
  part[MYTHREAD] = 3;  // race 4
  SYNCHRONIZE;
  upc_all_reduceI(&sum, part, UPC_ADD, THREADS, 1, NULL, UPC_IN_NOSYNC | UPC_OUT_ALLSYNC);  // race 4
  // Each thread's part is read after it has entered, and no other one waits.
  part[MYTHREAD] = 4;
  upc_all_gather(gathered, part, sizeof(int), UPC_IN_MYSYNC | UPC_OUT_ALLSYNC);
  part[MYTHREAD] = 5;
  upc_all_reduceI(&sum, part, UPC_ADD, THREADS, 1, NULL, UPC_IN_ALLSYNC | UPC_OUT_MYSYNC);
  upc_barrier;
  if (MYTHREAD == 0) printf("done %d\n", sum == 5 * THREADS && gathered[THREADS - 1] == 4);
  return 0;
}
