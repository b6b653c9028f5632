// Two threads take two locks in opposite order. Thread 0 first at both, thread 1 first at both, or a
// deadlock.
// run: ranks=2
// explore: all=3 outcomes=2
// outcome: finished
// deadlock: 2
#include <stdio.h>
#include <upc.h>

int main(void) {
  upc_lock_t* first = upc_all_lock_alloc();
  upc_lock_t* second = upc_all_lock_alloc();
  upc_lock(MYTHREAD == 0 ? first : second);
  upc_lock(MYTHREAD == 0 ? second : first);
  upc_unlock(first);
  upc_unlock(second);
  upc_barrier;
  if (MYTHREAD == 0) printf("finished\n");
  return 0;
}
