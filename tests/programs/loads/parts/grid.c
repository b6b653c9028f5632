#include "grid.h"

static int* cell(const struct grid* grid, int x, int y) { return grid->cells + y * grid->side + x; }

__attribute__((noinline)) static void set(const struct grid* grid, int x, int y, int value) {
  *cell(grid, x, y) = value; /*{store}*/
}

__attribute__((noinline)) static void row(const struct grid* grid, int y) {
  for (int x = 0; x < grid->side; ++x) set(grid, x, y, x + y);
}

void grid_refine(struct grid* grid, int depth) {
  if (depth > 0)
    grid_refine(grid, depth - 1);
  else
    for (int y = 0; y < grid->side; ++y) row(grid, y);
}
