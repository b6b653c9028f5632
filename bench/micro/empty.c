// Only MPI_Init and MPI_Finalize: what recording adds to the start of a run.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  return 0;
}
