// Loops over arrays that are only partly in a window: loads and stores of vectorized code cross its
// border.
// run: ranks=2 groups=0;0,1
// build: flags="-O2" pass=only
#include <mpi.h>
#include <stdio.h>

enum { kAll = 64 };

static void __attribute__((noinline)) forwards(long* restrict out, const long* in) {
  for (int i = 0; i < kAll; ++i) out[i] = in[i] + 1;
}

static void __attribute__((noinline)) backwards(long* restrict out, const long* in) {
  for (int i = kAll - 1; i >= 0; --i) out[i] = 3 * in[i];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  static long in[3][kAll], out[kAll];
  static const int first[] = {0, 7, 40}, count[] = {1, 5, 3};
  unsigned long result = 0;
  for (int w = 0; w < 3; ++w) {
    MPI_Win win;
    MPI_Win_create(in[w] + first[w], count[w] * sizeof(long), sizeof(long), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &win);
    for (int step = 0; step < 3; ++step) {
      long put[5];
      for (int i = 0; i < 5; ++i) put[i] = 1000 * (step + 1) + 10 * i + rank;
      MPI_Win_fence(0, win);
      MPI_Put(put, count[w], MPI_LONG, (rank + 1) % ranks, 0, count[w], MPI_LONG, win);
      MPI_Win_fence(0, win);
      (step % 2 == 0 ? forwards : backwards)(out, in[w]);
      for (int i = 0; i < kAll; ++i) result = 31 * result + (unsigned long)out[i];
      printf("rank %d: %ld %ld\n", rank, out[first[w]], out[first[w] + count[w] - 1]);
    }
    MPI_Win_free(&win);
  }
  printf("rank %d: %lu\n", rank, result);
  MPI_Finalize();
}
