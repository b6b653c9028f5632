// PE 1 polls a flag that PE 0 sets: its first read comes before that, or not.
// run: ranks=2
// explore: all=2 outcomes=1
// outcome: got 7
// not explored: how often shmem_atomic_fetch at spin.c:18 repeats before the value changes
#include <shmem.h>
#include <stdio.h>

static int value, flag;

int main(void) {
  shmem_init();
  if (shmem_my_pe() == 0) {
    shmem_int_atomic_set(&value, 7, 1);
    shmem_fence();
    shmem_int_atomic_set(&flag, 1, 1);
  } else {
    while (shmem_int_atomic_fetch(&flag, 1) == 0) shmem_quiet();
    printf("got %d\n", shmem_int_atomic_fetch(&value, 1));
  }
  shmem_finalize();
  return 0;
}
