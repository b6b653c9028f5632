// A thread that makes no MPI calls sums up what was put into a window before the thread started.
// run: ranks=2 groups=1;0,1
// build: flags="-O2 -pthread" pass=only
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { kCount = 1000 };

static double* memory;

static void* sum(void* result) {
  double all = 0;
  for (int i = 0; i < kCount; ++i) all += memory[i];
  *(double*)result = all;
  return NULL;
}

int main(int argc, char** argv) {
  int level, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Win win;
  MPI_Win_allocate(kCount * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &win);
  for (int step = 0; step < 5; ++step) {
    double mine[kCount], result = 0;
    for (int i = 0; i < kCount; ++i) mine[i] = (step + 1) * 1000 + i + rank;
    MPI_Win_fence(0, win);
    MPI_Put(mine, kCount, MPI_DOUBLE, (rank + 1) % ranks, 0, kCount, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    pthread_t thread;
    pthread_create(&thread, NULL, sum, &result);
    pthread_join(thread, NULL);
    printf("rank %d: %.1f\n", rank, result);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
}
