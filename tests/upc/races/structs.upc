// Copies of structs; strict ones do not race with each other.
#include <stdio.h>
#include <upc_relaxed.h>
typedef struct { long a, b, c; } node;
#ifdef FIXED
strict
#endif
shared node top;
shared node old[THREADS];
int main(void) {
  const node mine = {MYTHREAD, MYTHREAD, MYTHREAD};
  upc_barrier;
  top = mine;  // race 1 2
  const node got = top;  // race 1
  old[MYTHREAD] = got;
  upc_barrier;
  if (MYTHREAD == 0) printf("done %d\n", old[0].a >= 0);
  return 0;
}
