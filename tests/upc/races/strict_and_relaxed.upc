// A strict access races with a relaxed one to the same word.
// try: strict for both, as the strict write is
#include <stdio.h>
#include <upc_relaxed.h>
strict shared int flag;
int main(void) {
  upc_barrier;
  if (MYTHREAD == 0) {
    flag = 1;  // race 1
  } else {
#ifdef FIXED
    const int seen = flag;
#else
    const int seen = *(relaxed shared int *)&flag;  // race 1
#endif
    if (seen > 1) printf("wrong\n");
  }
  upc_barrier;
  if (MYTHREAD == 0) printf("done\n");
  return 0;
}
