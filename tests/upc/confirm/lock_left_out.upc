// The writer left out the lock. What the others do under it is protected.
// confirm 1: confirmed, harmful
#include <stdio.h>
#include <upc_relaxed.h>
shared int count;
int main(void) {
  upc_lock_t *lock = upc_all_lock_alloc();
  upc_barrier;
  if (MYTHREAD == 0) {
#ifdef FIXED
    upc_lock(lock);
#endif
    count = 7;  // race 1
#ifdef FIXED
    upc_unlock(lock);
    upc_barrier;
#endif
  } else {
#ifdef FIXED
    upc_barrier;
#endif
    upc_lock(lock);
    const int got = count;  // race 1
    upc_unlock(lock);
    if (MYTHREAD == 1) printf("got %d\n", got);
  }
  return 0;
}
