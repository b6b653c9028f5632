// The race has no effect, but each run prints its process id: outcomes vary in every order.
// confirm 1: confirmed, unstable
#include <stdio.h>
#include <unistd.h>
#include <upc_relaxed.h>
shared int data;
int main(void) {
  upc_barrier;
  if (MYTHREAD == 0) data = 7;  // race 1
#ifdef FIXED
  upc_barrier;
#endif
  if (MYTHREAD == 1) {
    const int got = data;  // race 1
    printf("%s %d\n", got == 0 || got == 7 ? "accepted" : "wrong", (int)getpid());
  }
  return 0;
}
