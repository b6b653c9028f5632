// A strict flag is polled: its reads are not controlled. So the search does not know that thread 0
// comes first, and prescribes the other order in vain.
// run: ranks=2
// explore: all=1 outcomes=1
// outcome: thread 1 got 1
// not explored: 1 prescribed matching that the program did not follow
// not explored: the result of a strict read at strict_flag.upc:20 depends on timing
// not explored: the order of a strict write at strict_flag.upc:23 and other accesses
#include <stdio.h>
#include <upc.h>
#include <upc_atomic.h>

strict shared int flag;
shared long counter;

int main(void) {
  long got, one = 1;
  upc_atomicdomain_t* domain = upc_all_atomicdomain_alloc(UPC_LONG, UPC_ADD, 0);
  upc_barrier;
  while (MYTHREAD == 1 && flag == 0) {
  }
  upc_atomic_relaxed(domain, &got, UPC_ADD, &counter, &one, NULL);
  if (MYTHREAD == 0) flag = 1;
  printf("thread %d got %ld\n", MYTHREAD, got);
  return 0;
}
