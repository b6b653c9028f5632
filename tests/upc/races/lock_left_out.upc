// One of the accesses is made without the lock.
// try: one lock (upc_lock) around all reads and writes of an update
#include <stdio.h>
#include <upc_relaxed.h>
shared int count, total[THREADS];
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
#endif
  } else {
    upc_lock(lock);
    total[MYTHREAD] = count;  // race 1
    upc_unlock(lock);
  }
  upc_barrier;
  if (MYTHREAD == 0) printf("done\n");
  return 0;
}
