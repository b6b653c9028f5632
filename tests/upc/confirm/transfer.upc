// A transfer is pending until upc_sync: it is made before or after the read of its data behind the barrier.
// confirm 1: confirmed, harmful
#include <stdio.h>
#include <upc_relaxed.h>
#include <upc_nb.h>
shared int data[THREADS];
int main(void) {
  const int seven = 7;
  upc_handle_t handle = UPC_COMPLETE_HANDLE;
  upc_barrier;
  if (MYTHREAD == 0) handle = upc_memput_nb(&data[1], &seven, sizeof seven);  // race 1
#ifdef FIXED
  upc_sync(handle);
#endif
  upc_barrier;
  if (MYTHREAD == 1) printf("got %d\n", data[1]);  // race 1
#ifndef FIXED
  upc_barrier;
  upc_sync(handle);
#endif
  return 0;
}
