// Between upc_notify and upc_wait, other threads may still be before their upc_notify.
// try: in a split barrier: the second access after upc_wait
#include <stdio.h>
#include <upc_relaxed.h>
shared int early[THREADS], late[THREADS];
int main(void) {
  const int next = (MYTHREAD + 1) % THREADS;
  int sum = 0;
  early[MYTHREAD] = 1;  // race 1
  upc_notify;
#ifndef FIXED
  sum += early[next];  // race 1
  late[MYTHREAD] = 2;  // race 2
#endif
  upc_wait;
  sum += early[next];
  sum += late[next];  // race 2
  upc_barrier;
  printf("done %d\n", sum > 0);
  return 0;
}
