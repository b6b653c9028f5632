// The put that races is the flag that PE 1 waits for, and PE 0 waits for an answer: a deferred flag
// has to be put while PE 0 waits. The program never hangs.
#include "../shmem/pes.h"
// run: ranks=2
// output: answered
// expect confirmed: put @{put} load @{load}

int main(void) {
  begin();
  long* flag = longs(2);
  long* answer = flag + 1;
  if (me == 0) {
    shmem_long_p(flag, 1, 1); /*{put}*/
    shmem_long_wait_until(answer, SHMEM_CMP_EQ, 1);
    printf("answered\n");
  } else {
#ifndef FIXED
    const long early = *flag; /*{load}*/
    if (early != 0 && early != 1) printf("wrong\n");
#endif
    shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
    shmem_long_p(answer, 1, 0);
  }
  shmem_barrier_all();
  shmem_finalize();
}
