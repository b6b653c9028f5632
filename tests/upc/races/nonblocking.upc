// A transfer is complete at upc_sync, not at a barrier, and its buffer is in use until then.
// try: , after upc_sync.
// try: , after upc_synci.
#include <stdio.h>
#include <upc_relaxed.h>
#include <upc_nb.h>
#define N 8
shared [N] int a[N * THREADS], b[N * THREADS];
int main(void) {
  const int next = (MYTHREAD + 1) % THREADS;
  static int put[N], got[N];
  upc_barrier;
  upc_handle_t handle = upc_memput_nb(&a[N * next], put, sizeof put);  // race 1
  upc_memget_nbi(got, &b[N * next], sizeof got);  // race 2
#ifdef FIXED
  upc_sync(handle);
  upc_synci();
#endif
  upc_barrier;
  const int sum = a[N * MYTHREAD + 3];  // race 1
  b[N * MYTHREAD] = sum;  // race 2
#ifndef FIXED
  upc_sync(handle);
  upc_synci();
#endif
  upc_barrier;
  if (MYTHREAD == 0) printf("done %d\n", got[1] + sum == 0);
  return 0;
}
