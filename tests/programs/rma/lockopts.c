// MC-Checker's `lockopts` (figure 7, from MPICH's own tests): rank 0 loads and stores its window
// with a shared lock (section A) while others put and get there (section D). Fixed: a barrier
// between the sections.
#include "rma.h"
// run: ranks=8
// output: rank 0 has 10 21 22 23 24 25 26 27
// expect race: put @{put} load @{load}
// expect race: put @{put} store @{store}
// expect race: get @{get} store @{other}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* rma = int_window(16, &win);  // for each rank: a value that it puts, one that it gets
  if (rank == 0) {
    // Section A.
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    for (int i = 0; i < size; ++i) {
      const int old = LOAD(rma[i]); /*{load}*/
      STORE(rma[i], 10 + old % 10); /*{store}*/
      STORE(rma[8 + i], 100 + i);   /*{other}*/
    }
    MPI_Win_unlock(0, win);
  }
#ifdef FIXED
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  if (rank != 0) {
    // Section D.
    const int value = 20 + rank;
    int got = -1;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Put(&value, 1, MPI_INT, 0, rank, 1, MPI_INT, win);   /*{put}*/
    MPI_Get(&got, 1, MPI_INT, 0, 8 + rank, 1, MPI_INT, win); /*{get}*/
    MPI_Win_unlock(0, win);
#ifdef FIXED
    CHECK(LOAD(got) == 100 + rank);
#endif
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    printf("rank 0 has");
    for (int i = 0; i < size; ++i) printf(" %d", LOAD(rma[i]));
    printf("\n");
  }
  MPI_Win_free(&win);
  MPI_Finalize();
}
