// OpenMP with MPI_THREAD_FUNNELED: the order of critical sections, locks, atomics, single
// constructs and dynamic loops is part of what is printed and sent.
// run: ranks=3 groups=1;0-2 times=20
// build: flags="-O2 -fopenmp" pass=only
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { kThreads = 3, kSteps = 10, kPieces = 40 };

static char line[kPieces * 8];
static int owner[kPieces], order[kPieces], next;
static omp_lock_t lock;

static void append(const char* text, int value) {
  char word[16];
  snprintf(word, sizeof word, "%s%d ", text, value);
  strcat(line, word);
}

int main(int argc, char** argv) {
  int level, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  omp_init_lock(&lock);
  double sum = 0;
  for (int step = 0; step < kSteps; ++step) {
    line[0] = '\0';
    next = 0;
    double time = omp_get_wtime(), product = 1;
    int tested = 0;
#pragma omp parallel num_threads(kThreads)
    {
      const int thread = omp_get_thread_num();
#pragma omp critical
      append("c", thread);
#pragma omp barrier
#pragma omp single
      append("s", thread);
      omp_set_lock(&lock);
      append("l", thread);
      omp_unset_lock(&lock);
#pragma omp for schedule(dynamic, 2)
      for (int i = 0; i < kPieces; ++i) {
        owner[i] = thread;
#pragma omp atomic capture
        order[i] = next++;
      }
      if (omp_test_lock(&lock)) {
        append("t", thread);
        omp_unset_lock(&lock);
      } else {
#pragma omp atomic
        ++tested;
      }
#pragma omp atomic
      product *= 1 + thread * 0.1 + step * 1e-3;
#pragma omp barrier
#pragma omp master
      {
        int mine[2 * kPieces], other[2 * kPieces];
        memcpy(mine, owner, sizeof owner);
        memcpy(mine + kPieces, order, sizeof order);
        MPI_Sendrecv(mine, 2 * kPieces, MPI_INT, (rank + 1) % ranks, 0, other, 2 * kPieces, MPI_INT,
                     (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 2 * kPieces; ++i) sum += (i + 1) * other[i];
      }
    }
    printf("%d: %s| ", step, line);
    for (int i = 0; i < kPieces; ++i) printf("%d.%d ", owner[i], order[i]);
    printf("| %d %.17g %.17g %.9f\n", tested, product, sum, time);
  }
  MPI_Finalize();
  return 0;
}
