// A token goes around, and with it the right to update PE 0: order through the flags of all PEs.
#include "pes.h"
// run: ranks=4
// output: sum 6
// expect no race

static long total[2], token;

int main(void) {
  begin();
  if (me > 0) shmem_long_wait_until(&token, SHMEM_CMP_EQ, 1);
  long values[2];
  shmem_long_get(values, total, 2, 0);
  values[0] += me;
  shmem_long_put(total, values, 2, 0);
  shmem_quiet();
  if (me + 1 < pes) shmem_long_p(&token, 1, me + 1);
  shmem_barrier_all();
  if (me == 0) printf("sum %ld\n", total[0]);
  shmem_finalize();
}
