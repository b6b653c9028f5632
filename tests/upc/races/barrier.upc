// Each thread reads what its neighbor wrote.
// try: Try: upc_barrier between them
#include <stdio.h>
#include <upc_relaxed.h>
shared int value[THREADS];
int main(void) {
  value[MYTHREAD] = MYTHREAD;  // race 1
#ifdef FIXED
  upc_barrier;
#endif
  int sum = value[(MYTHREAD + 1) % THREADS];  // race 1
  upc_barrier;
  value[(MYTHREAD + 1) % THREADS] = sum;
  upc_barrier;
  printf("done %d\n", value[MYTHREAD] >= 0);
  return 0;
}
