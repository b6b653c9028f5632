// Threads add to one sum without a lock: updates are lost. Thread 0 reads and writes its own memory, the others that of thread 0.
// confirm 1: confirmed
// confirm 2: confirmed
#include <stdio.h>
#include <upc_relaxed.h>
shared int sum;
int main(void) {
#ifdef FIXED
  upc_lock_t *lock = upc_all_lock_alloc();
#endif
  upc_barrier;
  for (int i = 0; i < 5; i++) {
#ifdef FIXED
    upc_lock(lock);
#endif
    const int old = sum;  // race 1
    sum = old + 1;        // race 1 2
#ifdef FIXED
    upc_unlock(lock);
#endif
  }
  upc_barrier;
  if (MYTHREAD == 0) printf("sum %d\n", sum);
  return 0;
}
