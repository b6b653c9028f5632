// The value that is read is printed: a remote read and a local write, and a local read and a remote write.
// confirm 1: confirmed, harmful
// confirm 2: confirmed, harmful
#include <stdio.h>
#include <upc_relaxed.h>
shared int data[THREADS];
int main(void) {
  upc_barrier;
  if (MYTHREAD == 0) data[0] = 7;  // race 1
  if (MYTHREAD == 0) data[1] = 8;  // race 2
#ifdef FIXED
  upc_barrier;
#endif
  if (MYTHREAD == 1) {
    const int remote = data[0];  // race 1
    const int local = data[1];   // race 2
    printf("remote %d, local %d\n", remote, local);
  }
  return 0;
}
