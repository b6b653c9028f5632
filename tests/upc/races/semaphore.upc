// A semaphore passes on what precedes the post.
#include <stdio.h>
#include <upc_relaxed.h>
#include <bupc_extensions.h>
shared int data;
bupc_sem_t *shared semaphores[THREADS];
int main(void) {
  semaphores[MYTHREAD] = bupc_sem_alloc(BUPC_SEM_INTEGER);
  upc_barrier;
  const int last = THREADS - 1;
  if (MYTHREAD == 0) {
#ifdef FIXED
    data = 42;
#endif
    bupc_sem_post(semaphores[last]);
#ifndef FIXED
    data = 42;  // race 1
#endif
  }
  if (MYTHREAD == last) {
    bupc_sem_wait(semaphores[last]);
    if (data > 42) printf("wrong\n");  // race 1
  }
  upc_barrier;
  if (MYTHREAD == 0) printf("done\n");
  return 0;
}
