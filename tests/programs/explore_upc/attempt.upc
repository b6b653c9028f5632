// Two threads try a lock once: the second one fails as long as the first one has it. Two orders for
// each first thread.
// run: ranks=2
// explore: all=4 outcomes=3
// outcome: thread 0 got it
// outcome: thread 0 did not get it
// outcome: thread 1 did not get it
#include <stdio.h>
#include <upc.h>

int main(void) {
  upc_lock_t* lock = upc_all_lock_alloc();
  const int has = upc_lock_attempt(lock);
  if (has) upc_unlock(lock);
  printf("thread %d %s it\n", MYTHREAD, has ? "got" : "did not get");
  return 0;
}
