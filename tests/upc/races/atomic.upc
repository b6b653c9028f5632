// Atomics do not race with each other, but with other accesses.
#include <stdio.h>
#include <upc_relaxed.h>
#include <upc_atomic.h>
shared int count;
shared int seen[THREADS];
int main(void) {
  upc_atomicdomain_t *domain = upc_all_atomicdomain_alloc(UPC_INT, UPC_ADD | UPC_GET | UPC_INC, 0);
  const int one = 1;
  upc_barrier;
  upc_atomic_relaxed(domain, NULL, UPC_ADD, &count, &one, NULL);  // race 1
  upc_atomic_relaxed(domain, NULL, UPC_INC, &count, NULL, NULL);  // race 2
  int now;
#ifdef FIXED
  upc_atomic_relaxed(domain, &now, UPC_GET, &count, NULL, NULL);
#else
  now = count;  // race 1 2
#endif
  seen[MYTHREAD] = now;
  upc_barrier;
  if (MYTHREAD == 0) printf("done %d\n", count == 2 * THREADS);
  return 0;
}
