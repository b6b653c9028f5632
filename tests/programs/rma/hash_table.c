// Correct: a hash table over all ranks. A key claims the first free slot with compare_and_swap;
// then its value is put, and counted with an accumulate. Collisions go to the next slot. After a
// barrier all ranks look up all keys with gets.
#include "rma.h"
// run: ranks=8
// output: found 40 of 40, inserted 40
// expect no race
enum {
  kSlots = 16,
  kEach = 5,
  kCount = 2 * kSlots
};  // slot n: key at 2n, value at 2n + 1; then the count

static MPI_Win win;

static unsigned hash(int key) { return (unsigned)key * 2654435761u >> 16; }

static void insert(int key, const int* value) {
  static const int one = 1, none = 0;
  const int home = hash(key) % size;
  for (int probe = 0; probe < kSlots; ++probe) {
    const int slot = (hash(key) / size + probe) % kSlots;
    int found;
    MPI_Compare_and_swap(&key, &none, &found, MPI_INT, home, 2 * slot, win);
    MPI_Win_flush(home, win);
    if (LOAD(found) != 0) continue;
    MPI_Put(value, 1, MPI_INT, home, 2 * slot + 1, 1, MPI_INT, win);
    MPI_Accumulate(&one, 1, MPI_INT, home, kCount, 1, MPI_INT, MPI_SUM, win);
    return;
  }
  CHECK(!"table full");
}

static int look_up(int key) {
  const int home = hash(key) % size;
  for (int probe = 0; probe < kSlots; ++probe) {
    const int slot = (hash(key) / size + probe) % kSlots;
    int pair[2];
    MPI_Get(pair, 2, MPI_INT, home, 2 * slot, 2, MPI_INT, win);
    MPI_Win_flush_local(home, win);
    if (LOAD(pair[0]) == key) return LOAD(pair[1]);
  }
  return -1;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int* table = int_window(2 * kSlots + 1, &win);
  int values[kEach], found = 0, all, inserted;
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < kEach; ++i) {
    const int key = 1 + rank * kEach + i;
    STORE(values[i], 100 + key);
    insert(key, &values[i]);
  }
  MPI_Win_flush_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int key = 1; key <= size * kEach; ++key) found += look_up(key) == 100 + key;
  MPI_Win_unlock_all(win);
  MPI_Allreduce(&found, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  found = LOAD(table[kCount]);
  MPI_Reduce(&found, &inserted, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("found %d of %d, inserted %d\n", all, size * kEach, inserted);
  MPI_Win_free(&win);
  MPI_Finalize();
}
