// UPC-Thrille, NPB CG 2.4: each rank initializes its part of a shared vector through a local
// pointer, and rank 0 reads a part without waiting. Fixed: a barrier between.
#include "window.h"
// run: ranks=3
// output: sum 8
// expect confirmed, harmful: get @{read} store @{initialize}
enum { kPart = 8 };

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* part = int_window(kPart, &win);
  int sum = 0, got[kPart];
  for (int i = 0; i < kPart; ++i) part[i] = 1; /*{initialize}*/
#ifdef FIXED
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, win);
    MPI_Get(got, kPart, MPI_INT, size - 1, 0, kPart, MPI_INT, win); /*{read}*/
    MPI_Win_unlock(size - 1, win);
    for (int i = 0; i < kPart; ++i) sum += got[i];
    printf("sum %d\n", sum);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
  MPI_Finalize();
}
