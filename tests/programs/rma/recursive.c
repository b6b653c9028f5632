// Puts in recursive functions, direct from two lines and mutual, up to a depth at which only the
// innermost frames are recorded: each put and its load are one finding, independent of the depth.
// Fixed: the puts complete before the barrier.
#include "rma.h"
// run: ranks=2
// output: sum 0 or more
// expect race: put @{put} load @{load}
// expect race: put @{other} load @{load}
// expect report buggy: … * more frames of descend
// expect report buggy: … * more frames of odd, even

enum { kDepths = 50 };
static MPI_Win win;
static const int seven = 7;
static volatile int steps;

__attribute__((noinline)) static void descend(int depth, int at) {
  if (depth == 0) {
    MPI_Put(&seven, 1, MPI_INT, 1, at, 1, MPI_INT, win); /*{put}*/
  } else if (at % (depth + 1) % 2 == 0) {
    descend(depth - 1, at);
  } else {
    descend(depth - 1, at);
  }
  ++steps;
}

static void odd(int depth, int at);
__attribute__((noinline)) static void even(int depth, int at) {
  if (depth == 0)
    MPI_Put(&seven, 1, MPI_INT, 1, at, 1, MPI_INT, win); /*{other}*/
  else
    odd(depth - 1, at);
  ++steps;
}
__attribute__((noinline)) static void odd(int depth, int at) {
  even(depth - 1, at);
  ++steps;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int* memory = int_window(2 * kDepths, &win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0)
    for (int i = kDepths - 1; i >= 0; --i) {
      descend(i, i);
      even(i / 2 * 2, kDepths + i);
    }
#ifdef FIXED
  MPI_Win_flush_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  int sum = 0;
  if (rank == 1)
    for (int i = 0; i < 2 * kDepths; ++i) sum += LOAD(memory[i]); /*{load}*/
  MPI_Win_unlock_all(win);
  if (rank == 1 && sum >= 0) printf("sum 0 or more\n");
  MPI_Win_free(&win);
  MPI_Finalize();
}
