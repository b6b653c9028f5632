// A ticket lock that polls. The tickets have two orders. The second PE reads `serving` first before
// the first one reads it, between that and its increment (and again afterwards), or after it: 2 * 3
// orders.
// run: ranks=2
// explore: all=6 outcomes=2
// outcome: PE 0 has ticket 0
// outcome: PE 0 has ticket 1
// not explored: how often shmem_atomic_fetch at ticket_lock.c:17 repeats before the value changes
#include <shmem.h>
#include <stdio.h>

static int ticket, serving;

int main(void) {
  shmem_init();
  const int mine = shmem_int_atomic_fetch_inc(&ticket, 0);
  while (shmem_int_atomic_fetch(&serving, 0) != mine) {
  }
  shmem_int_atomic_inc(&serving, 0);
  printf("PE %d has ticket %d\n", shmem_my_pe(), mine);
  shmem_finalize();
  return 0;
}
