// Rank 1 sends from a second thread as well; with one rank there is only one thread.
#include <mpi.h>
#include <pthread.h>

static void* send(void* value) {
  MPI_Send(value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  return value;
}

int main(int argc, char** argv) {
  int level, rank, size, value = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 1) {
    pthread_t thread;
    pthread_create(&thread, 0, send, &value);
    pthread_join(thread, 0);
  } else if (size > 1) {
    MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
