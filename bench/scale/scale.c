// Programs for many ranks on one machine, each with a known number of findings.
//
//   scale rma STEPS
//     a ring of puts between fences, and two ranks that put to one address: one race
//   scale rma-fixed STEPS
//     the same, in two epochs: none
//   scale messages STEPS
//     halos with nonblocking messages, sums, and results that rank 0 receives from any source:
//     one message race
//   scale messages-fixed STEPS
//     the same, from each rank in turn: none
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, left, right;

static double rma(int steps, int fixed) {
  double *memory, sum = 0;
  MPI_Win win;
  MPI_Win_allocate(4 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &win);
  for (int i = 0; i < 4; ++i) memory[i] = 0;
  MPI_Win_fence(0, win);
  for (int step = 0; step < steps; ++step) {
    const double mine = rank + step;
    MPI_Put(&mine, 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
    MPI_Put(&mine, 1, MPI_DOUBLE, left, 1, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    sum += memory[0] + memory[1];
    MPI_Win_fence(0, win);
  }
  const double mine = rank;
  if (rank == 1) MPI_Put(&mine, 1, MPI_DOUBLE, 0, 2, 1, MPI_DOUBLE, win);
  if (fixed) MPI_Win_fence(0, win);
  if (rank == ranks - 1) MPI_Put(&mine, 1, MPI_DOUBLE, 0, 2, 1, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  return sum;
}

static double messages(int steps, int fixed) {
  double halo[2] = {0, 0}, sum = 0;
  for (int step = 0; step < steps; ++step) {
    const double mine = rank + step;
    MPI_Request requests[4];
    MPI_Irecv(&halo[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&halo[1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&mine, 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&mine, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    sum += halo[0] - halo[1];
    if (step % 10 != 9) continue;
    double all;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank != 0) MPI_Send(&sum, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
  for (int other = 1; rank == 0 && other < ranks; ++other) {
    double its;
    MPI_Recv(&its, 1, MPI_DOUBLE, fixed ? other : MPI_ANY_SOURCE, 2, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    sum += its;
  }
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  left = (rank + ranks - 1) % ranks;
  right = (rank + 1) % ranks;
  const int steps = atoi(argv[2]), fixed = strstr(argv[1], "-fixed") != NULL;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  const double sum = strncmp(argv[1], "rma", 3) == 0 ? rma(steps, fixed) : messages(steps, fixed);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("sum %.1f in %.3f s\n", sum, MPI_Wtime() - start);
  MPI_Finalize();
  return 0;
}
