// Allocates, sends and frees; built with a sanitizer, whose runtime looks up the functions of libc
// before its own work.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int* value = malloc(100 * sizeof *value);
  value[0] = rank + 1;
  MPI_Bcast(value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  printf("value %d\n", value[0]);
  free(value);
  MPI_Finalize();
}
