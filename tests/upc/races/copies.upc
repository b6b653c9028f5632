// Copies race with accesses of the language, and with each other.
#include <stdio.h>
#include <string.h>
#include <upc_relaxed.h>
#define N 8
shared [N] int a[N * THREADS], b[N * THREADS];
int main(void) {
  const int next = (MYTHREAD + 1) % THREADS;
  int got[N], put[N];
  memset(put, 0, sizeof put);
  for (int i = 0; i < N; i++) a[N * MYTHREAD + i] = i;  // race 1
#ifdef FIXED
  upc_barrier;
#endif
  upc_memget(got, &a[N * next], sizeof got);  // race 1
  upc_barrier;
  upc_memput(&b[N * next], put, sizeof put);  // race 2
#ifdef FIXED
  upc_barrier;
#endif
  upc_memset(&b[N * MYTHREAD + 2], 1, 4);  // race 2
  upc_barrier;
  upc_memcpy(&a[N * MYTHREAD], &b[N * next], N * sizeof(int));  // race 3
#ifdef FIXED
  upc_barrier;
#endif
  int *mine = (int *)&b[N * MYTHREAD];
  mine[1] = got[0];  // race 3
  upc_barrier;
  if (MYTHREAD == 0) printf("done\n");
  return 0;
}
