// The value that is read does not matter.
// confirm 1: confirmed, same outcome
#include <stdio.h>
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
    printf("%s\n", got == 0 || got == 7 ? "accepted" : "wrong");
  }
  return 0;
}
