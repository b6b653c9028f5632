// Lines of blocks are solved one after another; flags that are not strict pass the faces on, with upc_fence (papers: NPB BT and SP).
// The flags race, and so do the faces behind them. With -DFIXED the flags are strict.
// confirm 1: confirmed
// confirm 2: not reproduced
#include <stdio.h>
#include <upc.h>

#define N 8
#define STEPS 5

#ifdef FIXED
strict shared int ready[THREADS];
#else
relaxed shared int ready[THREADS];
#endif
relaxed shared [N] double faces[N * THREADS];  // from the thread before

int main(void) {
  double mine[N];
  for (int i = 0; i < N; i++) mine[i] = 1;
  upc_barrier;
  for (int step = 1; step <= STEPS; step++) {
    if (MYTHREAD > 0) {
      int seen = 0;
      while (seen < step) {
        upc_fence;
        seen = ready[MYTHREAD];  // race 1
      }
      for (int i = 0; i < N; i++)
        mine[i] = (mine[i] + faces[N * MYTHREAD + i]) / 2;  // race 2
    }
    if (MYTHREAD + 1 < THREADS) {
      for (int i = 0; i < N; i++)
        faces[N * (MYTHREAD + 1) + i] = mine[i];  // race 2
      upc_fence;
      ready[MYTHREAD + 1] = step;  // race 1
    }
    upc_barrier;
  }
  if (MYTHREAD == 0) printf("bt: %s\n", mine[0] == 1 ? "passed" : "failed");
  return 0;
}
