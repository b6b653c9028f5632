// One of each kind of what an OTF2 archive has records for, on two ranks, without a race.
#include <mpi.h>
#include <stdio.h>

#define N 64

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, other, in[4] = {0}, out[4] = {1, 2, 3, 4}, sum = 0, old = 0, one = 1, zero = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  MPI_Request requests[2];

  // --- messages: blocking, both at once, with requests, persistent, in another communicator with
  // the ranks turned round, to oneself
  if (rank == 0)
    MPI_Send(out, 2, MPI_INT, 1, 7, MPI_COMM_WORLD);
  else
    MPI_Recv(in, 4, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, 1, MPI_INT, other, 8, in, 1, MPI_INT, other, 8, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Irecv(in, 4, MPI_INT, other, 9, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, 3, MPI_INT, other, 9, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Recv_init(in, 4, MPI_INT, other, 10, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(out, 4, MPI_INT, other, 10, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Comm turned;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  if (rank == 1)
    MPI_Send(out, 1, MPI_INT, 1, 11, turned);
  else
    MPI_Recv(in, 1, MPI_INT, 0, 11, turned, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, 1, MPI_INT, 0, 12, in, 1, MPI_INT, 0, 12, MPI_COMM_SELF, MPI_STATUS_IGNORE);

  // --- collectives
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(in, 2, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, turned);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

  // --- one-sided, each rank in the memory of the other
  int* memory;
  MPI_Win win;
  MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_fence(0, win);
  MPI_Put(out, 1, MPI_INT, other, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Get(in, 2, MPI_INT, other, 0, 2, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win);
  MPI_Put(out, 1, MPI_INT, other, 4, 1, MPI_INT, win);
  MPI_Win_unlock(other, win);
  MPI_Win_lock_all(0, win);
  MPI_Accumulate(&one, 1, MPI_INT, other, 8, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_flush(other, win);
  MPI_Fetch_and_op(&one, &old, MPI_INT, other, 8, MPI_SUM, win);
  MPI_Win_flush_all(win);
  MPI_Compare_and_swap(&one, &zero, &old, MPI_INT, other, 12, win);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);

  MPI_Comm_free(&turned);
  printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
