// A flag that is not strict. Its own race happens; the data behind it is never read early.
// confirm 1: confirmed, same outcome
// confirm 2: not reproduced
#include <stdio.h>
#include <upc.h>
#ifdef FIXED
strict shared int flag;
#else
relaxed shared int flag;
#endif
relaxed shared int data;
int main(void) {
  if (MYTHREAD == 0) {
    data = 1;  // race 2
    upc_fence;
    flag = 1;  // race 1
  } else if (MYTHREAD == 1) {
    int seen = 0;
    while (!seen) {
      upc_fence;
      seen = flag;  // race 1
    }
    const int got = data;  // race 2
    printf("got %d\n", got);
  }
  return 0;
}
