// Each handle completes its own transfer.
#include <stdio.h>
#include <upc_relaxed.h>
#include <upc_nb.h>
shared [2] int a[2 * THREADS];
int main(void) {
  const int next = (MYTHREAD + 1) % THREADS;
  static int one, two;
  upc_barrier;
  upc_handle_t first = upc_memput_nb(&a[2 * next], &one, sizeof one);
  upc_handle_t second = upc_memput_nb(&a[2 * next + 1], &two, sizeof two);  // race 1
#ifdef FIXED
  upc_sync(second);
#endif
  upc_sync(first);
  upc_barrier;
  const int sum = a[2 * MYTHREAD];
  const int other = a[2 * MYTHREAD + 1];  // race 1
  upc_barrier;
#ifndef FIXED
  upc_sync(second);
#endif
  upc_barrier;
  if (MYTHREAD == 0) printf("done %d\n", sum + other == 0);
  return 0;
}
