// Two pending gets into one buffer, in undefined order: in one epoch, and with an overlap of one
// element. Fixed: each has its own buffer.
#include "rma.h"
// run: ranks=3
// output: got 1 2 2
// expect race: store @{get1} store @{get2}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(2, &win);
  STORE(memory[0], rank);
  STORE(memory[1], rank);
  int got[4] = {0};
#ifdef FIXED
  int* second = &got[1];
#else
  int* second = &got[0];
#endif
  MPI_Win_fence(0, win);
  if (rank == 0) {
    MPI_Get(&got[0], 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{get1}*/
    MPI_Get(second, 2, MPI_INT, 2, 0, 2, MPI_INT, win);  /*{get2}*/
  }
  MPI_Win_fence(0, win);
  if (rank == 0) printf("got %d %d %d\n", LOAD(got[0]), LOAD(got[1]), LOAD(got[2]));
  MPI_Win_free(&win);
  MPI_Finalize();
}
