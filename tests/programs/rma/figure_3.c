// MC-Checker, figure 3: three ranks, two regions between barriers. In region A, P0 puts (a) and
// overwrites the buffer (b) while P2 puts to the same address of P1 (c). In region B, P1 gets that
// address (d), ordered after c by the barrier, while P0 puts (e). Fixed: a's lock epoch ends before
// b; c and e go to other addresses.
#include "rma.h"
// run: ranks=3
// output: region B read 10
// expect race: load @{a} store @{b}
// expect race: put @{a} put @{c}
// expect race: get @{d} put @{e}
#ifdef FIXED
enum { kPlaceOfC = 1, kPlaceOfE = 2 };
#else
enum { kPlaceOfC = 0, kPlaceOfE = 0 };
#endif

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(3, &win);
  int LX = 10, LY = 20, LZ = 30, got = 0;
  // Region A.
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(&LX, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{a}*/
#ifdef FIXED
    MPI_Win_unlock(1, win);
    STORE(LX, 11);
#else
    STORE(LX, 11); /*{b}*/
    MPI_Win_unlock(1, win);
#endif
  } else if (rank == 2) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(&LY, 1, MPI_INT, 1, kPlaceOfC, 1, MPI_INT, win); /*{c}*/
    MPI_Win_unlock(1, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  // Region B.
  if (rank == 1) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{d}*/
    MPI_Win_unlock(1, win);
    printf("region B read %d\n", LOAD(got));
  } else if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(&LZ, 1, MPI_INT, 1, kPlaceOfE, 1, MPI_INT, win); /*{e}*/
    MPI_Win_unlock(1, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
  MPI_Finalize();
}
