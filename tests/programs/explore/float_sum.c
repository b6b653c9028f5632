// A sum of floating-point numbers in the order of their arrival: 3! orders, two results.
// run: ranks=4
// explore: all=6 outcomes=2
// outcome: sum 0
// outcome: sum 1
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank;
  float value, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank > 0) {
    const float values[] = {1e8f, -1e8f, 1};
    MPI_Send(&values[rank - 1], 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
  } else {
    for (int i = 0; i < 3; ++i) {
      MPI_Recv(&value, 1, MPI_FLOAT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum += value;
    }
    printf("sum %g\n", sum);
  }
  MPI_Finalize();
  return 0;
}
