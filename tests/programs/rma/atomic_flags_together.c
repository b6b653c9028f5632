// Ranks synchronize by flags: each sets its own and reads all of them at once, with one
// MPI_Get_accumulate of several elements; rank 0 sets its flag together with an adjacent number.
// The bug: the flag is set while the put is pending.
#include "rma.h"
// run: ranks=3
// output: rounds 4
// expect race: put @{give} load @{take}
// expect race: put @{give} put @{give}
enum { kRounds = 4, kPair = 4, kBox = 16 };

static MPI_Win win;

static void meet(int round) {
  const int pair[2] = {round, 100 + round};  // rank 0 has two words, the others one: 0 and 1, 2, 3
  int flags[kPair], there = 0;
  MPI_Accumulate(pair, rank == 0 ? 2 : 1, MPI_INT, 0, rank == 0 ? 0 : rank + 1, rank == 0 ? 2 : 1,
                 MPI_INT, MPI_REPLACE, win);
  MPI_Win_flush(0, win);
  while (there < size) {
    MPI_Get_accumulate(NULL, 0, MPI_INT, flags, kPair, MPI_INT, 0, 0, kPair, MPI_INT, MPI_NO_OP,
                       win);
    MPI_Win_flush(0, win);
    there = (flags[0] >= round) + (flags[2] >= round) + (flags[3] >= round);
    if (there < size) sched_yield();
  }
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int* box = int_window(kBox + 1, &win);
  MPI_Win_lock_all(0, win);
  const int next = (rank + 1) % size;
  int round = 0;
  for (int step = 0; round < kRounds; ++round) {
    const int value = round;
    MPI_Put(&value, 1, MPI_INT, next, kBox, 1, MPI_INT, win); /*{give}*/
#ifdef FIXED
    MPI_Win_flush(next, win);
#else
    MPI_Win_flush_local(next, win);
#endif
    meet(++step);
    MPI_Win_sync(win);
    CHECK(LOAD(box[kBox]) <= round); /*{take}*/
    meet(++step);
  }
  MPI_Win_unlock_all(win);
  if (rank == 0) printf("rounds %d\n", round);
  MPI_Win_free(&win);
  MPI_Finalize();
}
