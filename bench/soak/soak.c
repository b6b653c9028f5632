// A program that runs for a given time: a halo exchange with messages, puts between fences and a
// task farm, in turn. Rank 0 decides when it ends.
//
//   soak SECONDS
//
// The task farm receives from any source. This message race is its only finding. Prints the number
// of rounds and a checksum.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCells = 512, kHaloSteps = 200, kFenceSteps = 100, kTasks = 400, kWork = 1, kResult = 2 };

static int rank, ranks, left, right;

static double halo(double* cells) {
  for (int step = 0; step < kHaloSteps; ++step) {
    MPI_Request requests[4];
    MPI_Irecv(&cells[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&cells[kCells + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&cells[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&cells[kCells], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 1; i <= kCells; ++i)
      cells[i] = 0.5 * cells[i] + 0.25 * (cells[i - 1] + cells[i + 1]);
  }
  double sum = 0, all = 0;
  for (int i = 1; i <= kCells; ++i) sum += cells[i];
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static double puts_and_fences(MPI_Win win, double* memory) {
  MPI_Win_fence(0, win);
  for (int step = 0; step < kFenceSteps; ++step) {
    const double mine = rank + step;
    MPI_Put(&mine, 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
    MPI_Put(&mine, 1, MPI_DOUBLE, left, 1, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    memory[2] += memory[0] - memory[1];
    MPI_Win_fence(0, win);
  }
  return memory[2];
}

static long farm(void) {
  long sum = 0;
  if (rank == 0) {
    int next = 0, working = 0;
    for (int worker = 1; worker < ranks; ++worker, ++working, ++next)
      MPI_Send(&next, 1, MPI_INT, worker, kWork, MPI_COMM_WORLD);
    while (working > 0) {
      int result;
      MPI_Status status;
      MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, kResult, MPI_COMM_WORLD, &status);
      sum += result;
      const int task = next < kTasks ? next++ : -1;
      if (task < 0) --working;
      MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, kWork, MPI_COMM_WORLD);
    }
  } else {
    int task;
    MPI_Recv(&task, 1, MPI_INT, 0, kWork, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (task >= 0) {
      const int result = task * 2 + 1;
      MPI_Send(&result, 1, MPI_INT, 0, kResult, MPI_COMM_WORLD);
      MPI_Recv(&task, 1, MPI_INT, 0, kWork, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Bcast(&sum, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double seconds = argc > 1 ? atof(argv[1]) : 10;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  left = (rank + ranks - 1) % ranks;
  right = (rank + 1) % ranks;
  double* const cells = calloc(kCells + 2, sizeof(double));
  for (int i = 1; i <= kCells; ++i) cells[i] = rank;
  double* memory;
  MPI_Win win;
  MPI_Win_allocate(3 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &win);
  memory[0] = memory[1] = memory[2] = 0;

  const double start = MPI_Wtime();
  long rounds = 0, tasks = 0;
  double sum = 0, moved = 0;
  for (int on = 1; on;) {
    sum = halo(cells);
    moved = puts_and_fences(win, memory);
    tasks = farm();
    ++rounds;
    on = MPI_Wtime() - start < seconds;
    MPI_Bcast(&on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Win_free(&win);
  free(cells);
  if (rank == 0) printf("%ld rounds, sum %.1f, moved %.1f, tasks %ld\n", rounds, sum, moved, tasks);
  MPI_Finalize();
  return 0;
}
