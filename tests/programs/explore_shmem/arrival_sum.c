// A sum of floats in the order of their arrival, which fetch_inc determines: six orders.
// run: ranks=3
// explore: all=6 outcomes=2
// outcome: sum 0
// outcome: sum 1
#include <shmem.h>
#include <stdio.h>

static int arrived;
static float values[3];

int main(void) {
  const float value[] = {1e8f, -1e8f, 1};
  shmem_init();
  const int me = shmem_my_pe();
  const int slot = shmem_int_atomic_fetch_inc(&arrived, 0);
  shmem_float_atomic_set(&values[slot], value[me], 0);
  shmem_barrier_all();
  float sum = 0;
  for (int i = 0; i < 3; ++i) sum += values[i];
  if (me == 0) printf("sum %g\n", sum);
  shmem_finalize();
  return 0;
}
