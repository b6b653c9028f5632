// A grid of cells, for deep_calls.c.
#pragma once
struct grid {
  int* cells;
  int side;
};
void grid_refine(struct grid* grid, int depth);
