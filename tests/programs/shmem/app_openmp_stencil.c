// A 1-D stencil with OpenMP inside each PE: the threads compute, the main thread exchanges the
// halos. The puts are complete and everyone has read when the next step begins.
#include "pes.h"
// run: ranks=2
// build: flags="-fopenmp"
// output: checksum 300
// expect no race

enum { kCells = 64, kSteps = 10 };

int main(void) {
  int provided;
  shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided);
  me = shmem_my_pe();
  pes = shmem_n_pes();
  long* cells = longs(kCells + 2);
  long* next = longs(kCells + 2);
  const int left = (me + pes - 1) % pes, right = (me + 1) % pes;
  for (int i = 0; i < kCells + 2; ++i) cells[i] = 2 + me;
  shmem_barrier_all();
  for (int step = 0; step < kSteps; ++step) {
    shmem_long_put(&cells[kCells + 1], &cells[1], 1, left);
    shmem_long_put(&cells[0], &cells[kCells], 1, right);
    shmem_barrier_all();
#pragma omp parallel for num_threads(2)
    for (int i = 1; i <= kCells; ++i) next[i] = (cells[i - 1] + cells[i + 1]) / 2;
#pragma omp parallel for num_threads(2)
    for (int i = 1; i <= kCells; ++i) cells[i] = next[i];
    shmem_barrier_all();
  }
  long* total = longs(1);
  long sum = 0;
  for (int i = 1; i <= kCells; ++i) sum += cells[i];
  shmem_long_atomic_add(total, sum, 0);
  shmem_barrier_all();
  if (me == 0) printf("checksum %ld\n", total[0]);
  shmem_finalize();
}
