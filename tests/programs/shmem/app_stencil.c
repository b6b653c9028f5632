// A 2-D stencil on a grid of 2 x 2 PEs: rows by put, columns by strided put, a flag for each side
// after a fence. Two copies of the grid and no barrier in the loop: a PE that has the flags of step
// s knows that its neighbors have read the halos of step s - 1, which it overwrites next.
#include "pes.h"
// run: ranks=4
// output: checksum 3456
// expect no race

enum { kSide = 12, kWidth = kSide + 2, kSteps = 12, kCopies = 2 };
enum { kNorth, kSouth, kWest, kEast, kSides };

static int index_of(int row, int column) { return row * kWidth + column; }

static void send(long* grid, long* arrived, int side, int to, long step) {
  switch (side) {
    case kNorth:
      shmem_long_put(&grid[index_of(kSide + 1, 1)], &grid[index_of(1, 1)], kSide, to);
      break;
    case kSouth:
      shmem_long_put(&grid[index_of(0, 1)], &grid[index_of(kSide, 1)], kSide, to);
      break;
    case kWest:
      shmem_long_iput(&grid[index_of(1, kSide + 1)], &grid[index_of(1, 1)], kWidth, kWidth, kSide,
                      to);
      break;
    default:
      shmem_long_iput(&grid[index_of(1, 0)], &grid[index_of(1, kSide)], kWidth, kWidth, kSide, to);
  }
  shmem_fence();
  shmem_long_p(&arrived[side], step, to);
}

static long relax(long* to, const long* from) {
  long sum = 0;
  for (int row = 1; row <= kSide; ++row)
    for (int column = 1; column <= kSide; ++column) {
      const long value = from[index_of(row - 1, column)] + from[index_of(row + 1, column)] +
                         from[index_of(row, column - 1)] + from[index_of(row, column + 1)];
      sum += to[index_of(row, column)] = value / 4;
    }
  return sum;
}

int main(void) {
  begin();
  long* grids[kCopies];
  for (int i = 0; i < kCopies; ++i) {
    grids[i] = longs(kWidth * kWidth);
    for (int j = 0; j < kWidth * kWidth; ++j) grids[i][j] = 6;
  }
  long* arrived = longs(kSides);
  const int row = me / 2, column = me % 2;
  const int neighbors[kSides] = {(1 - row) * 2 + column, (1 - row) * 2 + column,
                                 row * 2 + 1 - column, row * 2 + 1 - column};
  shmem_barrier_all();
  long sum = 0;
  for (long step = 1; step <= kSteps; ++step) {
    long* grid = grids[step % kCopies];
    for (int side = 0; side < kSides; ++side) send(grid, arrived, side, neighbors[side], step);
    for (int side = 0; side < kSides; ++side)
      shmem_long_wait_until(&arrived[side], SHMEM_CMP_GE, step);
    sum = relax(grids[(step + 1) % kCopies], grid);
  }
  shmem_barrier_all();
  long* total = longs(1);
  shmem_long_atomic_add(total, sum, 0);
  shmem_barrier_all();
  if (me == 0) printf("checksum %ld\n", total[0]);
  shmem_finalize();
}
