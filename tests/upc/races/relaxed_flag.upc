// A flag that is not strict: as in BT and SP of the papers, with upc_fence. The read of the flag races, and so does the data.
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
    if (data > 1) printf("wrong\n");  // race 2
  }
  upc_barrier;
  if (MYTHREAD == 0) printf("done\n");
  return 0;
}
