// A distributed hash table: a slot is claimed by compare-and-swap, its value is put by the PE that
// claimed it. Then all keys are looked up. Arguments: keys of all PEs.
#include "pes.h"

static long slots;  // of each PE

static long look_for(long* keys, long key, int owner, int insert) {
  for (long slot = (long)(mix((uint64_t)key) >> 20) % slots;; slot = (slot + 1) % slots) {
    const long there = insert ? shmem_long_atomic_compare_swap(&keys[slot], 0, key, owner)
                              : shmem_long_atomic_fetch(&keys[slot], owner);
    if (there == 0 || there == key) return slot;
  }
}

int main(int argc, char** argv) {
  start();
  const long total = argument(argc, argv, 1, 1000);
  slots = 2 * total / pes + 64;
  long* keys = zeros((size_t)slots * sizeof *keys);
  long* values = zeros((size_t)slots * sizeof *values);
  const double began = synchronized_time();
  for (long key = share_begin(total, me) + 1; key <= share_begin(total, me + 1); ++key) {
    const int owner = (int)(mix((uint64_t)key) % (uint64_t)pes);
    shmem_long_p(&values[look_for(keys, key, owner, 1)], 2 * key, owner);
  }
  shmem_barrier_all();
  uint64_t checksum = 0;
  const int other = (me + 1) % pes;
  for (long key = share_begin(total, other) + 1; key <= share_begin(total, other + 1); ++key) {
    const int owner = (int)(mix((uint64_t)key) % (uint64_t)pes);
    checksum += mix((uint64_t)shmem_long_g(&values[look_for(keys, key, owner, 0)], owner));
  }
  return finish(synchronized_time() - began, checksum);
}
