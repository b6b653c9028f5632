// A distributed hash table with open addressing: hash_table ELEMENTS WORK
// Rounds of insertions and lookups. ELEMENTS in total, divided by the ranks; WORK is the work to
// compute an element. A rank claims a slot by compare-and-swap of its key, and only then puts the
// payload. Lookups get whole slots after a barrier, so they are ordered after all insertions.
#include <string.h>
#include "app.h"

enum { kRounds = 20, kPayload = 7 };

typedef struct {
  uint64_t key, payload[kPayload];
} Slot;
_Static_assert(sizeof(Slot) == kLine, "a slot is a line");

typedef struct {
  MPI_Win win;  // of each rank: a cache line for the number of its elements, then its slots
  long slots;   // of each rank
  int ranks;
} Table;

static uint64_t key_of(long element) {
  return mix(element) | 1;
}  // never 0, which marks an empty slot

static void compute(uint64_t key, int work, uint64_t* payload) {
  for (int i = 0; i < kPayload; ++i) {
    payload[i] = key + i;
    for (int round = 0; round < work; ++round) payload[i] = mix(payload[i]);
  }
}

static void location_of(const Table* table, uint64_t key, long probe, int* owner, MPI_Aint* at) {
  const uint64_t location = (mix(key) + probe) % (table->slots * table->ranks);
  *owner = (int)(location / table->slots);
  *at = kLine + (MPI_Aint)(location % table->slots) * kLine;
}

// `payload` is in use until the next flush.
static void insert(const Table* table, uint64_t key, const uint64_t* payload) {
  const uint64_t empty = 0, one = 1;
  uint64_t found, count;
  int owner;
  MPI_Aint at;
  for (long probe = 0;; ++probe) {
    location_of(table, key, probe, &owner, &at);
    MPI_Compare_and_swap(&key, &empty, &found, MPI_UINT64_T, owner, at, table->win);
    MPI_Win_flush(owner, table->win);
    if (found == empty) break;
  }
  MPI_Put(payload, kPayload, MPI_UINT64_T, owner, at + sizeof key, kPayload, MPI_UINT64_T,
          table->win);
  MPI_Fetch_and_op(&one, &count, MPI_UINT64_T, owner, 0, MPI_SUM, table->win);
  MPI_Win_flush(owner, table->win);
}

static void look_up(const Table* table, uint64_t key, Slot* slot) {
  int owner;
  MPI_Aint at;
  for (long probe = 0;; ++probe) {
    location_of(table, key, probe, &owner, &at);
    MPI_Get(slot, sizeof *slot, MPI_BYTE, owner, at, sizeof *slot, MPI_BYTE, table->win);
    MPI_Win_flush(owner, table->win);
    if (slot->key == key) return;
    if (slot->key == 0) MPI_Abort(MPI_COMM_WORLD, 3);  // it was inserted
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long elements = argument(argc, argv, 1, 100000);
  const int work = argument(argc, argv, 2, 1000);
  int rank;
  Table table;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &table.ranks);
  table.slots = 2 * ((elements + table.ranks - 1) / table.ranks);  // load factor 1/2
  unsigned char* memory;
  const size_t bytes = (size_t)kLine * (table.slots + 1);
  MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &table.win);
  memset(memory, 0, bytes);

  uint64_t checksum = 0, payload[kPayload];
  MPI_Win_lock_all(0, table.win);
  const double started = synchronised_time();
  for (int round = 0; round < kRounds; ++round) {
    const long first = share_begin(elements, round, kRounds),
               count = share_begin(elements, round + 1, kRounds) - first;
    for (long i = share_begin(count, rank, table.ranks);
         i < share_begin(count, rank + 1, table.ranks); ++i) {
      compute(key_of(first + i), work, payload);
      insert(&table, key_of(first + i), payload);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const int other = (rank + 1) % table.ranks;  // looks up what its neighbor inserted
    for (long i = share_begin(count, other, table.ranks);
         i < share_begin(count, other + 1, table.ranks); ++i) {
      Slot slot;
      look_up(&table, key_of(first + i), &slot);
      for (int k = 0; k < kPayload; ++k) checksum += mix(slot.payload[k]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const double seconds = synchronised_time() - started;
  MPI_Win_unlock_all(table.win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, table.win);
  uint64_t inserted;
  memcpy(&inserted, memory, sizeof inserted);
  MPI_Win_unlock(rank, table.win);
  MPI_Win_free(&table.win);
  return finish(seconds, checksum + inserted);
}
