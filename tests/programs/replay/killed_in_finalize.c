// A rank that is killed inside of MPI_Finalize, while it waits for the others, ends with the same
// signal in a replay.
// run: ranks=2 groups=0 exit=nonzero replay_exit=143
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef SIGNAL
#define SIGNAL SIGTERM
#endif

// MPI_Finalize first deletes the attributes of MPI_COMM_SELF: the file shows that it has
// begun.
static int finalizes(MPI_Comm comm, int key, void* value, void* state) {
  fclose(fopen(state, "w"));
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, key, process = getpid();
  char path[64];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    snprintf(path, sizeof path, "/tmp/photofinish-test-%d", process);
    unlink(path);
  }
  MPI_Bcast(path, sizeof path, MPI_CHAR, 1, MPI_COMM_WORLD);
  MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalizes, &key, path);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, path);
    printf("rank 0 finalizes\n");
    fflush(stdout);
    MPI_Finalize();
    unlink(path);
    return 0;
  }
  printf("rank 1 waits\n");
  fflush(stdout);
  while (access(path, F_OK) != 0) usleep(1000);
  unlink(path);
  kill(process, SIGNAL);
  while (1) pause();  // until the launcher ends it
}
