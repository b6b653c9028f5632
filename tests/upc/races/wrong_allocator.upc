// upc_global_lock_alloc returns another lock to each thread that calls it; upc_all_lock_alloc returns one to all.
// try: from upc_all_lock_alloc (upc_global_lock_alloc returns another lock to each thread)
#include <stdio.h>
#include <upc_relaxed.h>
shared int sum;
int main(void) {
#ifdef FIXED
  upc_lock_t *lock = upc_all_lock_alloc();
#else
  upc_lock_t *lock = upc_global_lock_alloc();
#endif
  upc_barrier;
  upc_lock(lock);
  const int old = sum;      // race 1
  sum = old + MYTHREAD;     // race 1 2
  upc_unlock(lock);
  upc_barrier;
  if (MYTHREAD == 0) printf("done %d\n", sum >= 0);
  return 0;
}
