// A strict flag passes data on. What is written behind the flag is not passed on.
// try: a strict flag, which one thread sets after the write and the other polls before the read
#include <stdio.h>
#include <upc_relaxed.h>
strict shared int flag;
shared int data[2];
int main(void) {
  if (MYTHREAD == 0) {
    data[0] = 1;
#ifdef FIXED
    data[1] = 2;
#endif
    flag = 1;
#ifndef FIXED
    data[1] = 2;  // race 1
#endif
  } else {
    while (flag == 0)
      ;
    const int sum = data[0] + data[1];  // race 1
    if (sum > 3) printf("wrong\n");
  }
  upc_barrier;
  if (MYTHREAD == 0) printf("done\n");
  return 0;
}
