// Two threads take tasks from a counter with an atomic until none is left. Each of the two tasks
// goes to one of two threads, and then both see the end, in one of two orders: 2 * 2 * 2 orders.
// run: ranks=2
// explore: all=8 outcomes=4
// outcome: thread 0 took 0 1
// outcome: thread 0 took 0
// outcome: thread 0 took 1
// outcome: thread 0 took none
#include <stdio.h>
#include <upc.h>
#include <upc_atomic.h>

shared long next;

int main(void) {
  char text[16] = "";
  int length = 0;
  long task, one = 1;
  upc_atomicdomain_t* domain = upc_all_atomicdomain_alloc(UPC_LONG, UPC_ADD, 0);
  upc_barrier;
  while (upc_atomic_relaxed(domain, &task, UPC_ADD, &next, &one, NULL), task < 2)
    length += sprintf(text + length, " %ld", task);
  printf("thread %d took%s\n", MYTHREAD, length > 0 ? text : " none");
  return 0;
}
