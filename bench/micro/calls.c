// The cost of an MPI call: nanoseconds for each kind of call, printed by rank 0 as "name ns". Two
// ranks. The difference between a native run and one under `photofinish exec` is the cost of
// recording (bench/micro/run does both).
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBatch = 64 };

static int rank;
static double buffer[kBatch], window_memory[kBatch];
static MPI_Win win;

static double now(void) { return MPI_Wtime() * 1e9; }
static void report(const char* name, double ns, long calls) {
  if (rank == 0) printf("%s %.2f\n", name, ns / (double)calls);
}

static void put_get(int rounds) {
  MPI_Win_lock_all(0, win);
  double put = 0, get = 0;
  for (int r = 0; r < rounds; ++r) {
    double t = now();
    for (int i = 0; i < kBatch; ++i)
      MPI_Put(&buffer[i], 1, MPI_DOUBLE, 1 - rank, i, 1, MPI_DOUBLE, win);
    put += now() - t;
    MPI_Win_flush_all(win);
    t = now();
    for (int i = 0; i < kBatch; ++i)
      MPI_Get(&buffer[i], 1, MPI_DOUBLE, 1 - rank, i, 1, MPI_DOUBLE, win);
    get += now() - t;
    MPI_Win_flush_all(win);
  }
  MPI_Win_unlock_all(win);
  report("put", put, (long)rounds * kBatch);
  report("get", get, (long)rounds * kBatch);
}

static void isend_irecv_wait(int rounds) {
  MPI_Request receives[kBatch], sends[kBatch];
  double isend = 0, irecv = 0, wait = 0;
  for (int r = 0; r < rounds; ++r) {
    double t = now();
    for (int i = 0; i < kBatch; ++i)
      MPI_Irecv(&buffer[i], 1, MPI_DOUBLE, 1 - rank, i, MPI_COMM_WORLD, &receives[i]);
    irecv += now() - t;
    MPI_Barrier(MPI_COMM_WORLD);
    t = now();
    for (int i = 0; i < kBatch; ++i)
      MPI_Isend(&window_memory[i], 1, MPI_DOUBLE, 1 - rank, i, MPI_COMM_WORLD, &sends[i]);
    isend += now() - t;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < kBatch; ++i) MPI_Wait(&receives[i], MPI_STATUS_IGNORE);
    t = now();  // the sends are complete: this measures the call only
    for (int i = 0; i < kBatch; ++i) MPI_Wait(&sends[i], MPI_STATUS_IGNORE);
    wait += now() - t;
  }
  report("isend", isend, (long)rounds * kBatch);
  report("irecv", irecv, (long)rounds * kBatch);
  report("wait", wait, (long)rounds * kBatch);
}

static void fence_barrier(int rounds) {
  double t = now();
  for (int i = 0; i < rounds; ++i) MPI_Win_fence(0, win);
  report("fence", now() - t, rounds);
  MPI_Barrier(MPI_COMM_WORLD);
  t = now();
  for (int i = 0; i < rounds; ++i) MPI_Barrier(MPI_COMM_WORLD);
  report("barrier", now() - t, rounds);
}

static void ping_pong(int rounds) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double t = now();
  for (int i = 0; i < rounds; ++i) {
    if (rank == 0) {
      MPI_Send(buffer, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(buffer, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffer, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buffer, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
  }
  report("ping-pong", now() - t, 2L * rounds);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int scale = argc > 1 ? atoi(argv[1]) : 10;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(window_memory, sizeof window_memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                 &win);
  for (int warm = 1; warm >= 0; --warm) {
    const int rounds = warm ? 20 : 100 * scale;
    if (!warm && rank == 0) printf("begin\n");
    put_get(rounds);
    isend_irecv_wait(rounds);
    fence_barrier(rounds * 10);
    ping_pong(rounds * 50);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
