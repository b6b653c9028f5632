// Correct with strict flags around a ring: what thread 0 wrote reaches the last one by way of the others.
#include <stdio.h>
#include <upc_relaxed.h>
strict shared int turn[THREADS];
shared int sum;
int main(void) {
  if (MYTHREAD == 0) turn[0] = 1;
#ifdef FIXED
  while (turn[MYTHREAD] == 0)
    ;
#endif
  const int old = sum;  // race 1
  sum = old + 1;        // race 1 2
  if (MYTHREAD + 1 < THREADS) turn[MYTHREAD + 1] = 1;
  upc_barrier;
  if (MYTHREAD == 0) printf("done %d\n", sum > 0);
  return 0;
}
