// A one-dimensional stencil: halos by put, flags by put after a fence, and a flag back before the
// next halo. No barrier inside the loop.
#include "pes.h"
// run: ranks=4
// output: done
// expect no race

enum { kCells = 16, kSteps = 8 };

int main(void) {
  begin();
  double* cells = shmem_malloc((kCells + 2) * sizeof(double));
  for (int i = 0; i < kCells + 2; ++i) cells[i] = me;
  long* arrived = longs(2);  // from the left, from the right
  long* taken = longs(2);
  const int left = (me + pes - 1) % pes, right = (me + 1) % pes;
  double sum = 0;
  for (long step = 1; step <= kSteps; ++step) {
    shmem_double_put(&cells[kCells + 1], &cells[1], 1, left);
    shmem_double_put(&cells[0], &cells[kCells], 1, right);
    shmem_fence();
    shmem_long_p(&arrived[1], step, left);
    shmem_long_p(&arrived[0], step, right);
    shmem_long_wait_until(&arrived[0], SHMEM_CMP_GE, step);
    shmem_long_wait_until(&arrived[1], SHMEM_CMP_GE, step);
    sum += cells[0] + cells[kCells + 1];
    shmem_long_p(&taken[1], step, left);
    shmem_long_p(&taken[0], step, right);
    shmem_long_wait_until(&taken[0], SHMEM_CMP_GE, step);
    shmem_long_wait_until(&taken[1], SHMEM_CMP_GE, step);
    for (int i = 1; i <= kCells; ++i) cells[i] += 1;
  }
  shmem_barrier_all();
  if (me == 0 && sum > 0) printf("done\n");
  shmem_finalize();
}
