// Calls from a shared library, through inlined functions: dump names each of them, with its
// line.
#include "check.h"
// run: ranks=2
// build: flags=-O2 lib=parts/halo_library.c
// output: halo 1
// expect rank all: MPI_Init @main
// expect rank all: MPI_Sendrecv @shift(inlined)<both_ways(inlined)<exchange_halo<main
// expect rank all: MPI_Sendrecv @{shift}<{left}<{halo}<{called}
// expect count=1 rank all: MPI_Sendrecv @{shift}<{right}<{halo}<{called}
// expect count=2 rank all: MPI_Sendrecv

double exchange_halo(double* x, int rank, int size);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double x[2] = {0, rank};
  const double halo = exchange_halo(x, rank, 2); /*{called}*/
  if (rank == 0) printf("halo %g\n", halo);
  MPI_Finalize();
}
