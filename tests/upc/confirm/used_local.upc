// The value that is read is printed. The write is a call of the runtime, the read a load.
// confirm 1: confirmed, harmful
#include <stdio.h>
#include <upc_relaxed.h>
shared int data[THREADS];
int main(void) {
  upc_barrier;
  if (MYTHREAD == 0) data[1] = 7;  // race 1
#ifdef FIXED
  upc_barrier;
#endif
  if (MYTHREAD == 1) {
    const int got = data[1];  // race 1
    printf("got %d\n", got);
  }
  return 0;
}
