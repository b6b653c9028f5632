// Iteration i receives a block and reads the one before it. Fixed: it waits for that iteration.
#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static int blocks[8][4];

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  int sum = 0;
  if (rank == 0) {
    for (int i = 0; i < 8; ++i) MPI_Send(blocks[i], 4, MPI_INT, 1, i, MPI_COMM_WORLD);
  } else {
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 8; ++i) {
#ifdef FIXED
#pragma omp ordered depend(sink : i - 1)
#endif
      if (i > 0) sum += blocks[i - 1][2];                                       /*{read}*/
      MPI_Recv(blocks[i], 4, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /*{receive}*/
#pragma omp ordered depend(source)
    }
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
