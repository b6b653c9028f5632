// UPC-Thrille's `guppie`: random updates of a distributed table, each a get, an xor and a put, with nothing to keep two ranks
// from updating one entry at a time. Fixed: an accumulate, which is atomic.
#include "rma.h"
// run: ranks=4
// output: table sum 0
// expect race: get @{read} put @{write}
// expect race: put @{write} put @{write}
enum { kEntries = 4, kUpdates = 24 };

static unsigned next_random(unsigned* state) { return *state = *state * 1664525u + 1013904223u; }

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* table = int_window(kEntries, &win);
  MPI_Win_lock_all(0, win);
  unsigned state = 12345;  // the same numbers on all ranks: an even number of equal xors leaves nothing
  for (int update = 0; update < kUpdates; ++update) {
    const unsigned random = next_random(&state) >> 8;
    const int target = random % size, entry = random / size % kEntries;
    int value = (int)(random & 0xffff);
#ifdef FIXED
    MPI_Accumulate(&value, 1, MPI_INT, target, entry, 1, MPI_INT, MPI_BXOR, win);
    MPI_Win_flush_local(target, win);
#else
    int old = 0;
    MPI_Get(&old, 1, MPI_INT, target, entry, 1, MPI_INT, win); /*{read}*/
    MPI_Win_flush(target, win);
    value ^= LOAD(old);
    MPI_Put(&value, 1, MPI_INT, target, entry, 1, MPI_INT, win); /*{write}*/
    MPI_Win_flush(target, win);
#endif
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  int mine = 0, sum = 0;
  for (int i = 0; i < kEntries; ++i) mine += LOAD(table[i]);
  MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("table sum %d\n", sum);
  MPI_Win_free(&win);
  MPI_Finalize();
}
