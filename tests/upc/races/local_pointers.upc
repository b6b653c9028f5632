// Memory that is initialized through private pointers, and read by others.
#include <stdio.h>
#include <upc_relaxed.h>
#define N 16
shared [N] double *a;
int main(void) {
  a = upc_all_alloc(THREADS, N * sizeof(double));
  double *mine = (double *)&a[N * MYTHREAD];
  for (int i = 0; i < N; i++) mine[i] = i;  // race 1
#ifdef FIXED
  upc_barrier;
#endif
  double sum = 0;
  for (int i = 0; i < N * THREADS; i++)
    sum += a[i];  // race 1
  upc_barrier;
  if (MYTHREAD == 0) printf("done %d\n", sum > 0);
  upc_all_free(a);
  return 0;
}
