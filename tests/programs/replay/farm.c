// A task farm: the assignment of tasks, and the order of results, differ in every run.
// run: ranks=6 groups=0;3;0,2;0-3
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kTasks = 300, kWork = 1, kStop = 2, kResult = 3 };

static void master(int ranks) {
  int next = 0, busy = 0;
  long sum = 0, order = 0;
  for (int to = 1; to < ranks && next < kTasks; ++to, ++busy) {
    MPI_Send(&next, 1, MPI_INT, to, kWork, MPI_COMM_WORLD);
    ++next;
  }
  while (busy > 0) {
    long result[2];
    MPI_Status status;
    MPI_Recv(result, 2, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    int count;
    MPI_Get_count(&status, MPI_LONG, &count);
    sum += result[1] * count;
    order = order * 31 + status.MPI_SOURCE;
    if (next < kTasks) {
      MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, kWork, MPI_COMM_WORLD);
      ++next;
    } else {
      MPI_Send(&next, 0, MPI_INT, status.MPI_SOURCE, kStop, MPI_COMM_WORLD);
      --busy;
    }
  }
  printf("master: sum %ld, order %lx\n", sum, order);
}

static void worker(int rank) {
  int done = 0;
  long mine = 0;
  srand((unsigned)((long)(MPI_Wtime() * 1e6)));
  for (;;) {
    int task;
    MPI_Status status;
    MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Recv(&task, 1, MPI_INT, 0, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (status.MPI_TAG == kStop) break;
    long result[2] = {task, (long)task * task};
    if (rand() % 8 == 0) usleep(50);
    mine = mine * 17 + task;
    ++done;
    MPI_Send(result, 2, MPI_LONG, 0, kResult, MPI_COMM_WORLD);
  }
  printf("worker %d: %d tasks, %lx, next number %d\n", rank, done, mine, rand());
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0)
    master(ranks);
  else
    worker(rank);
  MPI_Finalize();
  return 0;
}
