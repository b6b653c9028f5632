// A PE reads a value before it is put there (shmem_sync_all completes no put), and crashes with
// what it found; the replay crashes with the same.
// run: ranks=2 groups=0;0,1 exit=nonzero replay_exit=139
// build: pass=only
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static long data[4096];

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  long source[4096];
  for (int i = 0; i < 4096; ++i) source[i] = i + 1;
  shmem_barrier_all();
  if (me == 1) shmem_long_put_nbi(data, source, 4096, 0);
  shmem_sync_all();
  long found = 0;
  for (int i = 0; i < 4096; ++i) found += data[i] == 0;
  printf("PE %d: %ld words are missing\n", me, found);
  fflush(stdout);
  if (me == 0) {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
