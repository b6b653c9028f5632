// Correct: a grid of 2 × 4 ranks, each a tile with ghosts on all sides and corners, put to the
// eight neighbors with subarray types between fences; rows, columns and corners are adjacent and do
// not overlap.
#include "rma.h"
// run: ranks=8
// output: sums right
// expect no race
enum { kTile = 4, kSide = kTile + 2 };

static MPI_Datatype part(int top, int left, int height, int width) {
  const int sizes[2] = {kSide, kSide}, subsizes[2] = {height, width}, starts[2] = {top, left};
  MPI_Datatype type;
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

// The index at side -1, 0 or 1: of the tile itself (edge), or of its ghosts.
static int edge(int side) { return side > 0 ? kTile : 1; }
static int ghost(int side) { return side < 0 ? 0 : side > 0 ? kTile + 1 : 1; }
static int length(int side) { return side == 0 ? kTile : 1; }

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* tile = int_window(kSide * kSide, &win);
  MPI_Comm grid;
  const int sizes[2] = {2, 4}, periodic[2] = {1, 1};
  int me[2];
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periodic, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, me);
  for (int step = 0; step < 3; ++step) {
    for (int i = 1; i <= kTile; ++i)
      for (int j = 1; j <= kTile; ++j) STORE(tile[i * kSide + j], step + rank);
    MPI_Win_fence(0, win);
    for (int vertical = -1; vertical <= 1; ++vertical)
      for (int horizontal = -1; horizontal <= 1; ++horizontal) {
        if (vertical == 0 && horizontal == 0) continue;
        const int there[2] = {me[0] + vertical, me[1] + horizontal};
        int neighbor;
        MPI_Cart_rank(grid, there, &neighbor);
        MPI_Datatype from =
            part(edge(vertical), edge(horizontal), length(vertical), length(horizontal));
        MPI_Datatype to =
            part(ghost(-vertical), ghost(-horizontal), length(vertical), length(horizontal));
        MPI_Put(tile, 1, from, neighbor, 0, 1, to, win);
        MPI_Type_free(&from);
        MPI_Type_free(&to);
      }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    int around[2] = {0};  // actual and expected values
    for (int i = 0; i < kSide; ++i)
      for (int j = 0; j < kSide; ++j) {
        const int there[2] = {me[0] + (i == 0 ? -1 : i > kTile), me[1] + (j == 0 ? -1 : j > kTile)};
        int whose;
        MPI_Cart_rank(grid, there, &whose);
        around[0] += LOAD(tile[i * kSide + j]);
        around[1] += step + whose;
      }
    CHECK(around[0] == around[1]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("sums right\n");
  MPI_Comm_free(&grid);
  MPI_Win_free(&win);
  MPI_Finalize();
}
