// Correct: a lock passes on what was written before it was taken. With the bug, what comes after it is passed on too late.
#include <stdio.h>
#include <upc_relaxed.h>
shared int data, ready;
int main(void) {
  upc_lock_t *lock = upc_all_lock_alloc();
  upc_barrier;
  if (MYTHREAD == 0) {
#ifdef FIXED
    data = 42;
#endif
    upc_lock(lock);
    ready = 1;
    upc_unlock(lock);
#ifndef FIXED
    data = 42;  // race 1
#endif
  } else {
    int is_ready = 0;
    while (!is_ready) {
      if (!upc_lock_attempt(lock)) continue;
      is_ready = ready;
      upc_unlock(lock);
    }
    if (data > 42) printf("wrong\n");  // race 1
  }
  upc_barrier;
  if (MYTHREAD == 0) printf("done\n");
  return 0;
}
