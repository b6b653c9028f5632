// Correct: each collective with data from all ranks to all ranks is used once between a put and a
// get: blocking, nonblocking, and those that make communicators and windows.
#include "rma.h"
// run: ranks=4
// output: 16 collectives, all in order
// expect no race
enum { kMost = 32 };

static MPI_Win win;
static int steps = 0, values[kMost], got[kMost];

// A step ends with the collective, followed by a get of what a neighbor put before it.
static void put_own(void) {
  values[steps] = 100 * steps + rank;
  MPI_Put(&values[steps], 1, MPI_INT, rank, steps, 1, MPI_INT, win);
  MPI_Win_flush(rank, win);
}

static void get_other(void) {
  const int other = (rank + 1) % size;
  MPI_Get(&got[steps], 1, MPI_INT, other, steps, 1, MPI_INT, win);
  MPI_Win_flush(other, win);
  CHECK(LOAD(got[steps]) == 100 * steps + other);
  ++steps;
}

#define STEP(collective) (put_own(), (void)(collective), get_other())
#define STEP_WITH_WAIT(collective) \
  (put_own(), (void)(collective), (void)MPI_Wait(&request, MPI_STATUS_IGNORE), get_other())

int main(int argc, char** argv) {
  begin(argc, argv);
  int_window(kMost, &win);
  int one[4] = {1, 2, 3, 4}, all[16], counts[4] = {1, 1, 1, 1}, places[4] = {0, 1, 2, 3};
  MPI_Comm comm;
  MPI_Win other;
  MPI_Request request;
  MPI_Win_lock_all(0, win);
  STEP(MPI_Barrier(MPI_COMM_WORLD));
  STEP(MPI_Allreduce(one, all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  STEP(MPI_Allgather(one, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
  STEP(MPI_Allgatherv(one, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD));
  STEP(MPI_Alltoall(one, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
  STEP(MPI_Alltoallv(one, counts, places, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD));
  STEP(MPI_Reduce_scatter_block(one, all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  STEP(MPI_Reduce_scatter(one, all, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  STEP_WITH_WAIT(MPI_Ibarrier(MPI_COMM_WORLD, &request));
  STEP_WITH_WAIT(MPI_Iallreduce(one, all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
  STEP_WITH_WAIT(MPI_Iallgather(one, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request));
  STEP_WITH_WAIT(MPI_Ialltoall(one, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request));
  STEP(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  STEP(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, comm, &other));
  STEP(MPI_Win_fence(0, other));
  STEP(MPI_Win_free(&other));
  MPI_Win_unlock_all(win);
  MPI_Comm_free(&comm);
  if (rank == 0) printf("%d collectives, all in order\n", steps);
  MPI_Win_free(&win);
  MPI_Finalize();
}
