// Two threads read and then set a counter, each with its own atomic: an update is lost unless one
// thread makes both before the other one. Six orders of two times two operations, two of them right.
// run: ranks=2
// explore: all=6 outcomes=2
// outcome: counter 2
// outcome: counter 1
#include <stdio.h>
#include <upc.h>
#include <upc_atomic.h>

shared long counter;

int main(void) {
  long value;
  upc_atomicdomain_t* domain = upc_all_atomicdomain_alloc(UPC_LONG, UPC_GET | UPC_SET, 0);
  upc_barrier;
  upc_atomic_relaxed(domain, &value, UPC_GET, &counter, NULL, NULL);
  ++value;
  upc_atomic_relaxed(domain, NULL, UPC_SET, &counter, &value, NULL);
  upc_barrier;
  if (MYTHREAD == 0) printf("counter %ld\n", counter);
  return 0;
}
