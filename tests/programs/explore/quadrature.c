// Adaptive quadrature: workers split intervals that are not exact enough, and the master takes
// results and splits from any source. The number of tasks does not depend on the order.
// run: ranks=3
// explore: outcomes=1 complete
// outcome: area 21.375
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { TASK = 1, RESULT = 2, SPLIT = 3, STOP = 4 };
static double f(double x) { return x * x; }

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double work[8][2] = {{0, 2}, {2, 4}};
  double none[2] = {0, 0};
  if (rank == 0) {
    double area = 0;
    int tasks = 2, next = 0, busy = 0;
    for (int worker = 1; worker < size && next < tasks; ++worker, ++busy)
      MPI_Send(work[next++], 2, MPI_DOUBLE, worker, TASK, MPI_COMM_WORLD);
    while (busy > 0) {
      double got[2];
      MPI_Status status;
      MPI_Recv(got, 2, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      if (status.MPI_TAG == SPLIT) {
        const double middle = (got[0] + got[1]) / 2;
        work[tasks][0] = got[0], work[tasks++][1] = middle;
        work[tasks][0] = middle, work[tasks++][1] = got[1];
      } else {
        area += got[0];
      }
      --busy;
      if (next < tasks) {
        MPI_Send(work[next++], 2, MPI_DOUBLE, status.MPI_SOURCE, TASK, MPI_COMM_WORLD);
        ++busy;
      }
    }
    for (int worker = 1; worker < size; ++worker)
      MPI_Send(none, 2, MPI_DOUBLE, worker, STOP, MPI_COMM_WORLD);
    printf("area %g\n", area);
  } else {
    while (1) {
      double task[2], result[2] = {0, 0};
      MPI_Status status;
      MPI_Recv(task, 2, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      if (status.MPI_TAG == STOP) break;
      const double width = task[1] - task[0], middle = (task[0] + task[1]) / 2;
      const double coarse = width * (f(task[0]) + f(task[1])) / 2;
      const double fine = width * (f(task[0]) + 2 * f(middle) + f(task[1])) / 4;
      const int split = fabs(coarse - fine) > 0.9 && width > 1;
      result[0] = fine;
      MPI_Send(split ? task : result, 2, MPI_DOUBLE, 0, split ? SPLIT : RESULT, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
