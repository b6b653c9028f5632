// UPC-Thrille's `guppie`: random updates of a distributed table, each a get, an xor and a put. No
// lock protects an entry, so two ranks may update it concurrently, and some updates are lost. The
// authors accept that, and only check that few are lost. Fixed: an accumulate, which is atomic.
#include "window.h"
// run: ranks=4
// output: 4 ranks made 24 updates each
// expect confirmed: get @{read} put @{write}
// expect confirmed: put @{write} put @{write}
enum { kEntries = 4, kUpdates = 24 };

static unsigned next_random(unsigned* state) { return *state = *state * 1664525u + 1013904223u; }

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(kEntries, &win);
  MPI_Win_lock_all(0, win);
  unsigned state = 12345 + rank;
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
    value ^= old;
    MPI_Put(&value, 1, MPI_INT, target, entry, 1, MPI_INT, win); /*{write}*/
    MPI_Win_flush(target, win);
#endif
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks made %d updates each\n", size, kUpdates);
  MPI_Win_free(&win);
  MPI_Finalize();
}
