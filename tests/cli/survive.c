// Two ranks exchange a few messages, then rank 1 ends in the way that argv[1] says. Events before
// that must be on record.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMessages = 100 };

__attribute__((noinline)) static void messages(int rank) {
  for (int i = 0; i < kMessages; ++i) {
    if (rank == 0) MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void end(const char* how) {
  if (!strcmp(how, "abort")) MPI_Abort(MPI_COMM_WORLD, 3);
  if (!strcmp(how, "exit")) exit(4);
  if (!strcmp(how, "leave")) exit(0);
  if (!strcmp(how, "quick_exit")) _exit(5);
  if (!strcmp(how, "segv")) *(volatile int*)8 = 1;
  if (!strcmp(how, "term")) raise(SIGTERM);
  if (!strcmp(how, "int")) raise(SIGINT);
  if (!strcmp(how, "kill")) raise(SIGKILL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, never;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  messages(rank);
  if (rank == 0) {
    printf("exchanged\n");
    fflush(stdout);
  }
  if (strcmp(argv[1], "well") != 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && strcmp(argv[1], "hang") != 0) {
      usleep(500000);  // rank 0 should be waiting by then
      end(argv[1]);
    }
    MPI_Recv(&never, 1, MPI_INT, 1 - rank, 999, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
