// All kinds of sends, receives and waits, with wildcards whose match is determined by order or
// tags: no message race, and no buffering dependence.
//
// run: ranks=4
// expect no race
// expect independent of send buffering
// output: all is in order
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static void exchange(MPI_Comm comm) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int out = rank, in[4];
  MPI_Request requests[8];
  // Nonblocking, then persistent, then combined.
  MPI_Irecv(&in[0], 1, MPI_INT, left, 1, comm, &requests[0]);
  MPI_Isend(&out, 1, MPI_INT, right, 1, comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Recv_init(&in[1], 1, MPI_INT, left, 2, comm, &requests[0]);
  MPI_Send_init(&out, 1, MPI_INT, right, 2, comm, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Sendrecv(&out, 1, MPI_INT, right, 3, &in[2], 1, MPI_INT, left, 3, comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(&out, 1, MPI_INT, right, 4, left, 4, comm, MPI_STATUS_IGNORE);
  if (rank % 2 == 0) {
    MPI_Ssend(&out, 1, MPI_INT, right, 5, comm);
    MPI_Recv(&in[3], 1, MPI_INT, left, 5, comm, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&in[3], 1, MPI_INT, left, 5, comm, MPI_STATUS_IGNORE);
    MPI_Ssend(&out, 1, MPI_INT, right, 5, comm);
  }
}

// The ranks ask for their turns, from any source, and each is answered before the next asks.
static void turns(MPI_Comm comm) {
  int value = 0;
  for (int i = 1; i < size; ++i) {
    if (rank == 0) {
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 6, comm, MPI_STATUS_IGNORE);
      for (int other = 1; other < size; ++other) MPI_Send(&value, 1, MPI_INT, other, 7, comm);
    } else {
      if (rank == i) MPI_Send(&rank, 1, MPI_INT, 0, 6, comm);
      MPI_Recv(&value, 1, MPI_INT, 0, 7, comm, MPI_STATUS_IGNORE);
    }
  }
}

// The same, with turns given by collectives: a rank sends after it has the collective's data.
static void collectives(MPI_Comm comm) {
  int value = rank, sum = 0, all[8];
  for (int i = 1; i < size; ++i) {
    if (rank == i) MPI_Send(&rank, 1, MPI_INT, 0, 8, comm);
    if (rank == 0)
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    MPI_Request request;
    switch (i % 4) {
      case 0:
        MPI_Bcast(&value, 1, MPI_INT, 0, comm);
        break;
      case 1:
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
        break;
      case 2:
        MPI_Ibarrier(comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
      case 3:
        MPI_Scatter(all, 1, MPI_INT, &value, 1, MPI_INT, 0, comm);
        break;
    }
  }
  MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 0, comm);
  MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, comm);
  MPI_Allgather(&value, 1, MPI_INT, all, 1, MPI_INT, comm);
  MPI_Barrier(comm);
}

// A probe that only one message can match, and a matched probe.
static void probes(MPI_Comm comm) {
  MPI_Status status;
  MPI_Message message;
  int value;
  if (rank == 1) {
    MPI_Send(&rank, 1, MPI_INT, 0, 9, comm);
    MPI_Send(&rank, 1, MPI_INT, 0, 9, comm);
  }
  if (rank == 0) {
    MPI_Probe(MPI_ANY_SOURCE, 9, comm, &status);
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 9, comm, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_ANY_SOURCE, 9, comm, &message, &status);
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  }
}

// Order by fence, post and complete of a window.
static void one_sided(MPI_Comm comm) {
  MPI_Win win;
  int *base, value;
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, comm, &base, &win);
  MPI_Win_fence(0, win);
  if (rank == 1) MPI_Send(&rank, 1, MPI_INT, 0, 10, comm);
  if (rank == 0) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 10, comm, MPI_STATUS_IGNORE);
  MPI_Win_fence(0, win);
  if (rank == 2) MPI_Send(&rank, 1, MPI_INT, 0, 10, comm);
  if (rank == 0) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 10, comm, MPI_STATUS_IGNORE);
  MPI_Group world, peer;
  MPI_Comm_group(comm, &world);
  const int one = rank == 0 ? 3 : 0;
  MPI_Group_incl(world, 1, &one, &peer);
  if (rank == 0) {
    MPI_Win_post(peer, 0, win);
    MPI_Win_wait(win);
    MPI_Recv(&value, 1, MPI_INT, 3, 11, comm, MPI_STATUS_IGNORE);
  }
  if (rank == 3) {
    MPI_Win_start(peer, 0, win);
    MPI_Win_complete(win);
    MPI_Send(&rank, 1, MPI_INT, 0, 11, comm);
  }
  MPI_Group_free(&world);
  MPI_Group_free(&peer);
  MPI_Win_free(&win);
}

static void two_groups(void) {
  MPI_Comm half, other;
  int value;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 12, &other);
  int local;
  MPI_Comm_rank(half, &local);
  if (rank % 2 == 0)
    MPI_Send(&rank, 1, MPI_INT, local, 0, other);
  else
    MPI_Recv(&value, 1, MPI_INT, local, 0, other, MPI_STATUS_IGNORE);
  MPI_Barrier(other);
  if (rank == 2) MPI_Send(&rank, 1, MPI_INT, 0, 0, half);
  if (rank == 0) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, half, MPI_STATUS_IGNORE);
  MPI_Comm_free(&other);
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  exchange(own);
  turns(own);
  collectives(own);
  probes(own);
  one_sided(own);
  two_groups();
  int nothing;
  MPI_Sendrecv(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, &nothing, 1, MPI_INT, MPI_PROC_NULL, 0, own,
               MPI_STATUS_IGNORE);
  MPI_Comm_free(&own);
  if (rank == 0) printf("all is in order\n");
  MPI_Finalize();
  return 0;
}
