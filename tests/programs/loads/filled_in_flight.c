// Thousands of pending accumulates from one buffer of pairs with a gap in each; the loop fills the
// buffer again before each of them. Tens of millions of pairs of accesses make a few findings, and
// the analysis must take about as long as the loop. Fixed: each accumulate has read the buffer
// before it is filled again.
#include "../rma/rma.h"
// run: ranks=2
// output: done
// expect race: load @{accumulate} store @{halves}
// expect race: load @{accumulate} store @{wholes}
enum { kRounds = 10000, kPairs = 10 };
typedef struct {
  short half;
  int whole;
} Pair;

int main(int argc, char** argv) {
  begin(argc, argv);
  static Pair pairs[kPairs];
  MPI_Win win;
  Pair* memory;
  MPI_Win_allocate(sizeof pairs, sizeof *pairs, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(0, win);
  for (int round = 0; rank == 1 && round < kRounds; ++round) {
    for (int i = 0; i < kPairs; ++i) pairs[i].half = (short)i; /*{halves}*/
    for (int i = 0; i < kPairs; ++i) pairs[i].whole = i;       /*{wholes}*/
    MPI_Accumulate(pairs, kPairs, MPI_SHORT_INT, 0, 0, kPairs, MPI_SHORT_INT, MPI_REPLACE,
                   win); /*{accumulate}*/
#ifdef FIXED
    MPI_Win_flush_local(0, win);
#endif
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("done\n");
  MPI_Win_free(&win);
  MPI_Finalize();
}
