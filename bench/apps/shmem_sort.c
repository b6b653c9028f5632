// Integer sort: counts of keys by alltoall, keys by one put to each PE, then a counting sort.
// Arguments: rounds, keys of all PEs.
#include "pes.h"

enum { kRange = 1 << 20 };

static long sync[2][SHMEM_ALLTOALL_SYNC_SIZE];  // used in turn

int main(int argc, char** argv) {
  start();
  const int rounds = argument(argc, argv, 1, 2);
  const long total = argument(argc, argv, 2, 10000);
  const long first = share_begin(total, me), count = share_begin(total, me + 1) - first;
  const long most = 2 * total / pes + 1024;  // random keys are spread evenly
  for (int i = 0; i < SHMEM_ALLTOALL_SYNC_SIZE; ++i) sync[0][i] = sync[1][i] = SHMEM_SYNC_VALUE;
  int* received = zeros((size_t)most * sizeof *received);
  long* to_each = zeros((size_t)pes * sizeof *to_each);
  long* from_each = zeros((size_t)pes * sizeof *from_each);
  long* offsets = zeros((size_t)pes * sizeof *offsets);      // where the keys of each PE begin here
  long* begins_at = zeros((size_t)pes * sizeof *begins_at);  // where mine begin on each PE
  int* packed = malloc((size_t)count * sizeof *packed);
  int* keys = malloc((size_t)count * sizeof *keys);
  long* next = malloc((size_t)pes * sizeof *next);
  int* histogram = malloc((kRange / (size_t)pes + 2) * sizeof *histogram);
  uint64_t checksum = 0;
  const double began = synchronized_time();
  for (int round = 0; round < rounds; ++round) {
    for (int pe = 0; pe < pes; ++pe) to_each[pe] = 0;
    for (long i = 0; i < count; ++i) {
      keys[i] = (int)(mix((uint64_t)(first + i) ^ (uint64_t)round << 40) % kRange);
      ++to_each[(long)keys[i] * pes / kRange];
    }
    next[0] = 0;
    for (int pe = 1; pe < pes; ++pe) next[pe] = next[pe - 1] + to_each[pe - 1];
    for (long i = 0; i < count; ++i) packed[next[(long)keys[i] * pes / kRange]++] = keys[i];
    shmem_barrier_all();
    shmem_alltoall64(from_each, to_each, 1, 0, 0, pes, sync[0]);
    for (int pe = 0, at = 0; pe < pes; at += (int)from_each[pe++]) offsets[pe] = at;
    shmem_alltoall64(begins_at, offsets, 1, 0, 0, pes, sync[1]);
    for (int pe = 0; pe < pes; ++pe)
      shmem_int_put(&received[begins_at[pe]], &packed[next[pe] - to_each[pe]], (size_t)to_each[pe],
                    pe);
    shmem_barrier_all();
    const long lowest = ((long)me * kRange + pes - 1) / pes,
               mine = offsets[pes - 1] + from_each[pes - 1];
    memset(histogram, 0, (kRange / (size_t)pes + 2) * sizeof *histogram);
    for (long i = 0; i < mine; ++i) ++histogram[received[i] - lowest];
    for (long key = 0; key <= kRange / pes; ++key)
      checksum += (uint64_t)histogram[key] * mix((uint64_t)(lowest + key) ^ (uint64_t)round << 40);
    shmem_barrier_all();
  }
  return finish(synchronized_time() - began, checksum);
}
