// Two PEs take tasks from a counter with fetch_inc until none is left. Each of the two tasks goes
// to one of two PEs, and then both see the end, in one of two orders: 2 * 2 * 2 orders.
// run: ranks=2
// explore: all=8 outcomes=4
// outcome: PE 0 took 0 1
// outcome: PE 0 took 0
// outcome: PE 0 took 1
// outcome: PE 0 took none
#include <shmem.h>
#include <stdio.h>

static int next;

int main(void) {
  char text[16] = "";
  int length = 0, task;
  shmem_init();
  while ((task = shmem_int_atomic_fetch_inc(&next, 0)) < 2)
    length += sprintf(text + length, " %d", task);
  printf("PE %d took%s\n", shmem_my_pe(), length > 0 ? text : " none");
  shmem_finalize();
  return 0;
}
