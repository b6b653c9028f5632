// Matrix multiply: a master hands out rows and collects results in any order. Every order gives the
// same product: 3 workers, 4 rows.
// run: ranks=4
// explore: all=18 outcomes=1
// outcome: product 30 70 110 150
#include <mpi.h>
#include <stdio.h>

enum { N = 4, WORK = 1, STOP = 2 };

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int vector[N] = {1, 2, 3, 4};
  if (rank == 0) {
    int product[N], next = 0, result[2];
    for (int worker = 1; worker < size; ++worker, ++next)
      MPI_Send(&next, 1, MPI_INT, worker, WORK, MPI_COMM_WORLD);
    for (int done = 0; done < N; ++done) {
      MPI_Status status;
      MPI_Recv(result, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      product[result[0]] = result[1];
      MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, next < N ? WORK : STOP, MPI_COMM_WORLD);
      next += next < N;
    }
    printf("product %d %d %d %d\n", product[0], product[1], product[2], product[3]);
  } else {
    while (1) {
      int row, result[2] = {0, 0};
      MPI_Status status;
      MPI_Recv(&row, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      if (status.MPI_TAG == STOP) break;
      result[0] = row;
      for (int i = 0; i < N; ++i) result[1] += (row * N + i + 1) * vector[i];
      MPI_Send(result, 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
