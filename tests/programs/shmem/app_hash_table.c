// A distributed hash table: a slot is claimed by compare-and-swap of its key; its value is put by
// the PE that claimed it. Each PE then looks up the keys of its neighbor.
#include "pes.h"
// run: ranks=4
// output: found 240
// expect no race

enum { kSlots = 128, kKeys = 60 };

static unsigned long hash(long key) { return (unsigned long)key * 11400714819323198485ul >> 32; }

static int owner_of(long key) { return (int)(hash(key) / kSlots % (unsigned long)pes); }

static void insert(long* keys, long* values, long key) {
  const int owner = owner_of(key);
  for (unsigned long slot = hash(key) % kSlots;; slot = (slot + 1) % kSlots) {
    if (shmem_long_atomic_compare_swap(&keys[slot], 0, key, owner) != 0) continue;
    shmem_long_p(&values[slot], 2 * key, owner);
    return;
  }
}

static long look_up(long* keys, long* values, long key) {
  const int owner = owner_of(key);
  for (unsigned long slot = hash(key) % kSlots;; slot = (slot + 1) % kSlots) {
    const long there = shmem_long_atomic_fetch(&keys[slot], owner);
    if (there == 0) return 0;
    if (there == key) return shmem_long_g(&values[slot], owner);
  }
}

int main(void) {
  begin();
  long* keys = longs(kSlots);
  long* values = longs(kSlots);
  long* found = longs(1);
  for (long i = 1; i <= kKeys; ++i) insert(keys, values, 1000 * me + i);
  shmem_barrier_all();
  const int neighbor = (me + 1) % pes;
  for (long i = 1; i <= kKeys; ++i) {
    const long key = 1000 * neighbor + i;
    if (look_up(keys, values, key) == 2 * key) shmem_long_atomic_inc(found, 0);
  }
  shmem_barrier_all();
  if (me == 0) printf("found %ld\n", found[0]);
  shmem_finalize();
}
