// A gas on a mesh of quadrilaterals with an index array of corners, as in hydrodynamics codes:
// hydro STEPS ROWS A block of rows of elements for each rank. All nodal arrays are in its window.
// Nodes between two ranks belong to both: each rank adds its part of the force to the other's with
// an accumulate.
#include "app.h"

enum { kElements = 512, kNodes = kElements + 1 };  // of a row

typedef struct {
  double *x, *y, *vx, *vy, *fx, *fy;
} Nodal;

// Shared nodes come first, row by row. The numbers of the others are shuffled in groups, as by a
// mesh generator.
static int node_number(long row, long column, long rows) {
  if (row == 0) return (int)column;
  if (row == rows) return (int)(kNodes + column);
  const long inner = (row - 1) * kNodes + column, group = inner / 64 * 64,
             all = (rows - 1) * kNodes;
  const long mixed = group + (inner * 37 + 11) % 64;
  return (int)(2 * kNodes + (group + 64 <= all ? mixed : inner));
}

static void add_forces(Nodal node, const int (*corners)[4], double* pressure, const double* mass,
                       long elements) {
  for (long e = 0; e < elements; ++e) {
    const int a = corners[e][0], b = corners[e][1], c = corners[e][2], d = corners[e][3];
    const double ux = node.x[c] - node.x[a], uy = node.y[c] - node.y[a], wx = node.x[d] - node.x[b],
                 wy = node.y[d] - node.y[b];
    const double area = 0.5 * (ux * wy - uy * wx);
    const double growth = (node.vx[c] - node.vx[a]) * wy - (node.vy[c] - node.vy[a]) * wx;
    const double p = mass[e] / area - 0.01 * growth;
    pressure[e] = p;
    const double px = 0.5 * p * wy, py = -0.5 * p * wx, qx = -0.5 * p * uy, qy = 0.5 * p * ux;
    node.fx[a] -= px;
    node.fy[a] -= py;
    node.fx[c] += px;
    node.fy[c] += py;
    node.fx[b] -= qx;
    node.fy[b] -= qy;
    node.fx[d] += qx;
    node.fy[d] += qy;
  }
}

static void move(Nodal node, long nodes, double step) {
  for (long i = 0; i < nodes; ++i) {
    node.vx[i] += step * node.fx[i];
    node.vy[i] += step * node.fy[i];
    node.x[i] += step * node.vx[i];
    node.y[i] += step * node.vy[i];
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long steps = argument(argc, argv, 1, 100), all_rows = argument(argc, argv, 2, 512);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long begin = share_begin(all_rows, rank, ranks),
             rows = share_begin(all_rows, rank + 1, ranks) - begin;
  if (all_rows < 2 * ranks) MPI_Abort(MPI_COMM_WORLD, 2);
  const long elements = rows * kElements, nodes = (rows + 1) * kNodes;

  // Forces first, so that they have the same offset in all windows, independent of the number of
  // nodes.
  const long room =
      whole_lines(((all_rows + ranks - 1) / ranks + 1) * kNodes * sizeof(double)) / sizeof(double);
  double* arrays;
  MPI_Win win;
  MPI_Win_allocate(6 * room * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &arrays, &win);
  const Nodal node = {
      arrays + 2 * room, arrays + 3 * room, arrays + 4 * room, arrays + 5 * room, arrays,
      arrays + room};
  int(*corners)[4] = malloc(elements * sizeof *corners);
  double* mass = malloc(elements * sizeof(double));
  double* pressure = malloc(elements * sizeof(double));
  double(*edges)[kNodes] = malloc(4 * sizeof *edges);  // in use until the fence
  for (long row = 0; row <= rows; ++row)
    for (long column = 0; column < kNodes; ++column) {
      const long i = node_number(row, column, rows);
      node.x[i] = (double)column;
      node.y[i] = (double)(begin + row);
      node.vx[i] = node.vy[i] = 0;
    }
  for (long e = 0; e < elements; ++e) {
    const long row = e / kElements, column = e % kElements;
    corners[e][0] = node_number(row, column, rows);
    corners[e][1] = node_number(row, column + 1, rows);
    corners[e][2] = node_number(row + 1, column + 1, rows);
    corners[e][3] = node_number(row + 1, column, rows);
    mass[e] = 1 + (double)(mix(begin * kElements + e) >> 12) / (double)(1L << 52);
  }

  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  const double started = synchronised_time();
  for (long step = 0; step < steps; ++step) {
    memset(node.fx, 0, nodes * sizeof(double));
    memset(node.fy, 0, nodes * sizeof(double));
    add_forces(node, corners, pressure, mass, elements);
    // My first row of nodes is the last row of the preceding rank, and vice versa.
    for (int edge = 0; edge < 2; ++edge) {
      memcpy(edges[2 * edge], node.fx + edge * kNodes, sizeof *edges);
      memcpy(edges[2 * edge + 1], node.fy + edge * kNodes, sizeof *edges);
    }
    MPI_Win_fence(0, win);
    for (int edge = 0; edge < 2; ++edge) {
      const int other = rank + (edge == 0 ? -1 : 1);
      if (other < 0 || other >= ranks) continue;
      for (int axis = 0; axis < 2; ++axis)
        MPI_Accumulate(edges[2 * edge + axis], kNodes, MPI_DOUBLE, other,
                       axis * room + (1 - edge) * kNodes, kNodes, MPI_DOUBLE, MPI_SUM, win);
    }
    MPI_Win_fence(0, win);
    move(node, nodes, 0.001);
  }
  const double seconds = synchronised_time() - started;
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);

  const uint64_t checksum = checksum_of(node.x, nodes, begin * kNodes) +
                            checksum_of(pressure, elements, begin * kElements);
  MPI_Win_free(&win);
  free(corners);
  free(mass);
  free(pressure);
  free(edges);
  return finish(seconds, checksum);
}
