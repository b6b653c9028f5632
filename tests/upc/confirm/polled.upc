// A strict flag is polled, and both accesses of the race come after it. The thread that polls never waits for ever.
// confirm 1: confirmed, harmful
#include <stdio.h>
#include <upc_relaxed.h>
strict shared int flag;
shared int data;
int main(void) {
  upc_barrier;
  if (MYTHREAD == 0) {
#ifdef FIXED
    data = 5;
#endif
    flag = 1;
#ifndef FIXED
    data = 5;  // race 1
#endif
  }
  if (MYTHREAD == 1) {
    while (flag == 0)
      ;
    const int got = data;  // race 1
    printf("got %d\n", got);
  }
  return 0;
}
