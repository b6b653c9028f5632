// Molecular dynamics of atoms that attract and repel each other: particles STEPS SIDE
// SIDE^3 atoms, a share for each rank. The window of every rank holds all positions. Each rank
// moves its own atoms, puts their positions into all other windows, and loads those of neighbors
// through a list.
#include <math.h>
#include "app.h"

static const double kCutoff = 1.8, kStep = 0.0005;  // in units of the lattice spacing

typedef struct {
  double x, y, z;
} Point;

static long location_in(long atom, long side, long dx, long dy, long dz) {
  const long x = (atom % side + dx + side) % side, y = (atom / side % side + dy + side) % side,
             z = (atom / side / side + dz + side) % side;
  return x + side * (y + side * z);
}

// All other atoms in a cube around it: no atom moves far.
static long neighbors_of(long atom, long side, int* list) {
  long count = 0;
  for (long dz = -1; dz <= 1; ++dz)
    for (long dy = -1; dy <= 1; ++dy)
      for (long dx = -1; dx <= 1; ++dx)
        if (dx != 0 || dy != 0 || dz != 0) list[count++] = (int)location_in(atom, side, dx, dy, dz);
  return count;
}

static double nearest(double distance, double size) {
  if (distance > size / 2) return distance - size;
  return distance < -size / 2 ? distance + size : distance;
}

static Point force_on(const Point* positions, Point at, const int* list, long count, double size) {
  Point force = {0, 0, 0};
  for (long i = 0; i < count; ++i) {
    const Point* other = &positions[list[i]];
    const double dx = nearest(at.x - other->x, size), dy = nearest(at.y - other->y, size),
                 dz = nearest(at.z - other->z, size);
    const double square = dx * dx + dy * dy + dz * dz;
    if (square > kCutoff * kCutoff) continue;
    const double inverse = 1 / square, power = inverse * inverse * inverse;
    const double strength = 24 * inverse * power * (2 * power - 1);
    force.x += strength * dx;
    force.y += strength * dy;
    force.z += strength * dz;
  }
  return force;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  const long steps = argument(argc, argv, 1, 100), side = argument(argc, argv, 2, 24);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long atoms = side * side * side, begin = share_begin(atoms, rank, ranks),
             mine = share_begin(atoms, rank + 1, ranks) - begin;

  Point* positions;
  MPI_Win win;
  MPI_Win_allocate(whole_lines(atoms * sizeof(Point)), sizeof(Point), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &positions, &win);
  Point* velocities = calloc(mine, sizeof(Point));
  int* lists = malloc(mine * 26 * sizeof(int));
  long* starts = malloc((mine + 1) * sizeof(long));
  starts[0] = 0;
  for (long i = 0; i < mine; ++i)
    starts[i + 1] = starts[i] + neighbors_of(begin + i, side, lists + starts[i]);
  const double gap = 1.1, size = gap * (double)side;
  for (long i = 0; i < atoms; ++i) {
    const double jitter = (double)(mix(i) >> 12) / (double)(1L << 52) * 0.1;
    positions[i] =
        (Point){gap * (double)(i % side) + jitter, gap * (double)(i / side % side) - jitter,
                gap * (double)(i / side / side)};
  }

  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  const double started = synchronised_time();
  for (long step = 0; step < steps; ++step) {
#pragma omp parallel for
    for (long i = 0; i < mine; ++i) {
      const Point force = force_on(positions, positions[begin + i], lists + starts[i],
                                   starts[i + 1] - starts[i], size);
      velocities[i].x += kStep * force.x;
      velocities[i].y += kStep * force.y;
      velocities[i].z += kStep * force.z;
    }
#pragma omp parallel for
    for (long i = 0; i < mine; ++i) {
      positions[begin + i].x += kStep * velocities[i].x;
      positions[begin + i].y += kStep * velocities[i].y;
      positions[begin + i].z += kStep * velocities[i].z;
    }
    MPI_Win_fence(0, win);
    for (int to = 0; to < ranks; ++to)
      if (to != rank)
        MPI_Put(positions + begin, (int)(3 * mine), MPI_DOUBLE, to, begin, (int)(3 * mine),
                MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
  }
  const double seconds = synchronised_time() - started;
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);

  const uint64_t checksum = checksum_of(&velocities[0].x, 3 * mine, 3 * begin);
  MPI_Win_free(&win);
  free(velocities);
  free(lists);
  free(starts);
  return finish(seconds, checksum);
}
