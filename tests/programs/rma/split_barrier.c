// UPC-Thrille, definition 3: a split-phase barrier (MPI_Ibarrier … MPI_Wait) makes phases 0, 1, 2,
// …, the odd ones between its two halves. Phases p and q of two ranks may be concurrent if q is in
// [2⌊p/2⌋ - 1, 2⌊(p+1)/2⌋ + 1]. Each pair of phases has an address in rank 2's memory that rank 0
// puts to in phase p and rank 1 gets in phase q. Of the 36 pairs exactly those of the definition
// race. Fixed: only the others are accessed.
#include "rma.h"
// run: ranks=3
// output: ordered pairs 16
// expect race: put @{put0} get @{get0}
// expect race: put @{put0} get @{get1}
// expect race: put @{put1} get @{get0}
// expect race: put @{put1} get @{get1}
// expect race: put @{put1} get @{get2}
// expect race: put @{put1} get @{get3}
// expect race: put @{put2} get @{get1}
// expect race: put @{put2} get @{get2}
// expect race: put @{put2} get @{get3}
// expect race: put @{put3} get @{get1}
// expect race: put @{put3} get @{get2}
// expect race: put @{put3} get @{get3}
// expect race: put @{put3} get @{get4}
// expect race: put @{put3} get @{get5}
// expect race: put @{put4} get @{get3}
// expect race: put @{put4} get @{get4}
// expect race: put @{put4} get @{get5}
// expect race: put @{put5} get @{get3}
// expect race: put @{put5} get @{get4}
// expect race: put @{put5} get @{get5}
enum { kPhases = 6 };

static int parallel(int p, int q) { return q >= p / 2 * 2 - 1 && q <= (p + 1) / 2 * 2 + 1; }

static int skipped(int p, int q) {
#ifdef FIXED
  return parallel(p, q);
#else
  return 0;
#endif
}

static const int one = 1;
static int got[kPhases];

// In phase p of rank 0, and in phase q of rank 1; complete before the phase ends.
#define PUTS(p)                                                                        \
  for (int q = 0; rank == 0 && q < kPhases; ++q)                                       \
    if (!skipped(p, q)) MPI_Put(&one, 1, MPI_INT, 2, p* kPhases + q, 1, MPI_INT, win); \
  MPI_Win_flush_all(win)
#define GETS(q)                                                                           \
  for (int p = 0; rank == 1 && p < kPhases; ++p)                                          \
    if (!skipped(p, q)) MPI_Get(&got[p], 1, MPI_INT, 2, p* kPhases + q, 1, MPI_INT, win); \
  MPI_Win_flush_all(win)

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(kPhases * kPhases, &win);
  MPI_Win_lock_all(0, win);
  MPI_Request barrier;
  PUTS(0); /*{put0}*/
  GETS(0); /*{get0}*/
  MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
  PUTS(1); /*{put1}*/
  GETS(1); /*{get1}*/
  MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  PUTS(2); /*{put2}*/
  GETS(2); /*{get2}*/
  MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
  PUTS(3); /*{put3}*/
  GETS(3); /*{get3}*/
  MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  PUTS(4); /*{put4}*/
  GETS(4); /*{get4}*/
  MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
  PUTS(5); /*{put5}*/
  GETS(5); /*{get5}*/
  MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(win);
  int ordered = 0;
  for (int p = 0; p < kPhases; ++p)
    for (int q = 0; q < kPhases; ++q) ordered += !parallel(p, q);
  if (rank == 0) printf("ordered pairs %d\n", ordered);
  MPI_Win_free(&win);
  MPI_Finalize();
}
