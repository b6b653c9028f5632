// A fence with MPI_MODE_NOPRECEDE asserts that there is nothing to complete, and completes nothing:
// an earlier put is still pending after it. Fixed: no such assertion.
#include "rma.h"
// run: ranks=2
// output: read 7
// expect race: put @{put} load @{load}
// expect race: load @{put} store @{reuse}
// expect report buggy: The accesses are concurrent: MPI_Win_fence {fence} asserts MPI_MODE_NOPRECEDE, so it does not order the put of rank 0 and the load of rank 1.
// expect report buggy: The accesses are concurrent: rank 0 stores while its own MPI_Put is pending; MPI_Win_fence {fence} asserts MPI_MODE_NOPRECEDE, so it completes nothing.
// expect report buggy: Try: MPI_Win_fence {fence} without MPI_MODE_NOPRECEDE.
#ifdef FIXED
enum { kAssert = MPI_MODE_NOSUCCEED };
#else
enum { kAssert = MPI_MODE_NOPRECEDE };
#endif

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1, &win);
  int seven = 7;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  if (rank == 0) MPI_Put(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
  MPI_Win_fence(kAssert, win);                                       /*{fence}*/
  if (rank == 0) STORE(seven, 0);                                    /*{reuse}*/
  if (rank == 1) printf("read %d\n", LOAD(memory[0]));               /*{load}*/
  MPI_Win_fence(0, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
