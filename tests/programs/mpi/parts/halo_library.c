// A library of the program, built with optimization: the innermost functions are inlined into their
// callers.
#include <mpi.h>

static inline __attribute__((always_inline)) void shift(double* x, int to, int from) {
  MPI_Sendrecv(&x[1], 1, MPI_DOUBLE, to, 4, &x[0], 1, MPI_DOUBLE, from, 4, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE); /*{shift}*/
}

static inline __attribute__((always_inline)) void both_ways(double* x, int rank, int size) {
  shift(x, (rank + 1) % size, (rank + size - 1) % size); /*{right}*/
  shift(x, (rank + size - 1) % size, (rank + 1) % size); /*{left}*/
}

double exchange_halo(double* x, int rank, int size) {
  both_ways(x, rank, size); /*{halo}*/
  return x[0];
}
