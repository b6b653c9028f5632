// A task farm that only hands out tasks on request: task_farm TASKS
#include "app.h"

enum { kTask = 1, kEnd = 2 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int tasks = argument(argc, argv, 1, 100000);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  uint64_t checksum = 0;
  const double started = synchronised_time();
  if (rank == 0) {
    for (int task = 0, busy = ranks - 1; busy > 0; ++task) {
      uint64_t result;
      MPI_Status status;
      MPI_Recv(&result, 1, MPI_UINT64_T, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
      checksum += result;
      MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, task < tasks ? kTask : kEnd, MPI_COMM_WORLD);
      busy -= task >= tasks;
    }
  } else {
    for (uint64_t result = 0;;) {
      int task;
      MPI_Status status;
      MPI_Send(&result, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
      MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      if (status.MPI_TAG == kEnd) break;
      result = mix((uint64_t)task);
    }
  }
  const double seconds = synchronised_time() - started;
  return finish(seconds, checksum);
}
