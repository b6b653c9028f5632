// A race in each of many steps, next to access sites that are much hotter: sampling finds it, and
// the report says what was skipped. Fixed: the load waits for the fence.
#include "../rma/rma.h"
// run: ranks=2 env=PHOTOFINISH_OPTIONS:sample=on
// output: done
// expect race: put @{put} load @{load}
// expect report: NOTE: photofinish: sampled * of * accesses to shared memory (*%; a whole loop may count as one); * of * sites were subsampled, so races there may be missed
// expect report: NOTE: photofinish: sampling cost *% of the CPU time of rank *, a slowdown of *x; *% was for MPI calls, which are never skipped*

enum { kCells = 1 << 12, kSteps = 50, kTimes = 20000 };

static unsigned next(unsigned x) {
  x ^= x << 13;
  x ^= x >> 17;
  return x ^ x << 5;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* base = int_window(kCells, &win);
  unsigned x = 1;
  int sum = 0;
  MPI_Win_fence(0, win);
  for (int step = 0; step < kSteps; ++step) {
    if (rank == 0) MPI_Put(&step, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
#ifdef FIXED
    MPI_Win_fence(0, win);
#endif
    if (rank == 1) sum += base[0]; /*{load}*/
    for (int i = 0; i < kTimes; ++i) {
      x = next(x);
      base[1 + x % (kCells - 1)] += sum;
    }
    MPI_Win_fence(0, win);
  }
  if (rank == 0) puts("done");
  MPI_Win_free(&win);
  MPI_Finalize();
  return sum == 99;
}
