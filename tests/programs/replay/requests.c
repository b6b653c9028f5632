// Requests that complete in any order: Waitany, Testsome, Waitsome, Testall, persistent ones, and a
// cancelled receive.
// run: ranks=4 groups=0;1;0,2;0-3
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 50, kEach = 4 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int others = ranks - 1;
  int* in = malloc(sizeof(int) * (size_t)(others * kEach));
  MPI_Request* receives = malloc(sizeof(MPI_Request) * (size_t)(others * kEach));
  MPI_Request* sends = malloc(sizeof(MPI_Request) * (size_t)(others * kEach));
  int* indices = malloc(sizeof(int) * (size_t)(others * kEach));
  MPI_Status* statuses = malloc(sizeof(MPI_Status) * (size_t)(others * kEach));
  int out[kEach];
  long trail = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kEach; ++i) out[i] = rank * 1000 + round * 10 + i;
    int n = 0;
    for (int i = 0; i < others * kEach; ++i)
      MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &receives[i]);
    for (int to = 0; to < ranks; ++to)
      for (int i = 0; to != rank && i < kEach; ++i)
        MPI_Isend(&out[i], 1, MPI_INT, to, i, MPI_COMM_WORLD, &sends[n++]);
    int left = others * kEach;
    while (left > 0) {
      int done = 0;
      if (left % 3 == 0) {
        int index;
        MPI_Waitany(others * kEach, receives, &index, &statuses[0]);
        trail = trail * 7 + index + statuses[0].MPI_SOURCE + in[index];
        done = 1;
      } else if (left % 3 == 1) {
        MPI_Testsome(others * kEach, receives, &done, indices, statuses);
        for (int i = 0; i < done; ++i)
          trail = trail * 11 + indices[i] + statuses[i].MPI_TAG + in[indices[i]];
      } else {
        MPI_Waitsome(others * kEach, receives, &done, indices, statuses);
        for (int i = 0; i < done; ++i)
          trail = trail * 13 + indices[i] + statuses[i].MPI_SOURCE + in[indices[i]];
      }
      left -= done;
    }
    int flag = 0;
    while (!flag) MPI_Testall(n, sends, &flag, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  MPI_Request persistent[2];
  int given = 0, taken = -1;
  MPI_Recv_init(&taken, 1, MPI_INT, (rank + ranks - 1) % ranks, 9, MPI_COMM_WORLD, &persistent[0]);
  MPI_Send_init(&given, 1, MPI_INT, (rank + 1) % ranks, 9, MPI_COMM_WORLD, &persistent[1]);
  for (int round = 0; round < 10; ++round) {
    given = rank + round;
    MPI_Startall(2, persistent);
    MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE);
    trail = trail * 3 + taken;
  }
  MPI_Request_free(&persistent[0]);
  MPI_Request_free(&persistent[1]);

  MPI_Request never;
  MPI_Status status;
  int cancelled = 0;
  MPI_Irecv(&taken, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &never);
  MPI_Cancel(&never);
  MPI_Wait(&never, &status);
  MPI_Test_cancelled(&status, &cancelled);
  printf("rank %d of %d: trail %lx, cancelled %d, request %s\n", rank, ranks, trail, cancelled,
         never == MPI_REQUEST_NULL ? "null" : "left");
  free(in), free(receives), free(sends), free(indices), free(statuses);
  MPI_Finalize();
  return 0;
}
