// Some threads use upc_barrier, others upc_notify and upc_wait, for the same barrier.
#include <stdio.h>
#include <upc_relaxed.h>
shared int value[THREADS], other[THREADS];
int main(void) {
  const int next = (MYTHREAD + 1) % THREADS;
  value[MYTHREAD] = 1;
  if (MYTHREAD == 0) {
    upc_notify 5;
#ifndef FIXED
    other[next] = 3;  // race 1
#endif
    upc_wait 5;
  } else {
    upc_barrier 5;
  }
  const int sum = value[next] + other[MYTHREAD];  // race 1
  upc_barrier;
  value[next] = sum;
  upc_barrier;
  printf("done %d\n", value[MYTHREAD] > 0);
  return 0;
}
