// Results that depend on timing: which PE takes which piece of work, how often a flag is polled,
// with calls and with plain loads, who gets a lock first, and what a get finds meanwhile.
// run: ranks=3 groups=1;0,2;0-2 times=3
// build: pass=only
#include <shmem.h>
#include <stdio.h>

static long history[64];

static unsigned long mix(unsigned long hash, unsigned long value) {
  return (hash ^ value) * 1099511628211ul;
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  // Open MPI makes progress for static data only inside calls: words that others wait for are on
  // the heap, and nobody polls with loads while others may still access the static data.
  volatile long* ready = shmem_calloc(8, sizeof(long));
  long* words = shmem_calloc(16, sizeof(long));
  long *next_piece = words, *lock = words + 1, *owner_of_lock = words + 2, *flag = words + 3,
       *checked_in = words + 4;
  long* counts = shmem_malloc(64 * sizeof(long));
  for (int i = 0; i < 64; ++i) counts[i] = me;
  shmem_barrier_all();
  unsigned long hash = 14695981039346656037ul;
  int pieces = 0;
  for (long piece; (piece = shmem_long_atomic_fetch_inc(next_piece, 0)) < 300; ++pieces) {
    hash = mix(hash, piece);
    shmem_long_put(&history[piece % 64], &piece, 1, (me + 1) % pes);
    hash = mix(hash, history[(piece + 7) % 64]);
    hash = mix(hash, shmem_long_g(&history[piece % 64], (me + 1) % pes));
  }
  shmem_barrier_all();
  shmem_set_lock(lock);
  const long before = shmem_long_g(owner_of_lock, 0);
  shmem_long_p(owner_of_lock, before * 10 + me + 1, 0);
  shmem_clear_lock(lock);
  hash = mix(hash, before);
  shmem_long_p((long*)&ready[me], 1 + me, (me + 1) % pes);
  const int left = (me + pes - 1) % pes;
  long polls = 0, tests = 0;
  while (ready[left] == 0) ++polls;
  shmem_long_p(flag, 5, (me + 1) % pes);
  while (!shmem_long_test(flag, SHMEM_CMP_EQ, 5)) ++tests;
  shmem_long_atomic_inc(&checked_in[me], left);
  shmem_long_wait_until(&checked_in[(me + 1) % pes], SHMEM_CMP_GE, 1);
  long copy[64];
  shmem_long_get_nbi(copy, history, 64, (me + 1) % pes);
  shmem_quiet();
  for (int i = 0; i < 64; ++i) hash = mix(hash, copy[i]);
  shmem_barrier_all();
  printf("PE %d of %d: %d pieces, lock after %ld, %ld polls, %ld tests, %lx\n", me, pes, pieces,
         before, polls, tests, hash);
  shmem_free(counts);
  shmem_finalize();
  return 0;
}
