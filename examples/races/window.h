// Shared by the programs in this directory: rank, size, and a window of ints. The racing calls are
// in the programs themselves.
#pragma once
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static inline void begin(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

// `count` ints on each rank, zero when it returns; the displacement unit is an int. (Whole cache
// lines: MPICH 4.0.2 has a bug with some smaller windows.)
static inline int* int_window(int count, MPI_Win* win) {
  int* base = NULL;
  const MPI_Aint bytes = (count * (MPI_Aint)sizeof(int) + 63) / 64 * 64;
  MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, win);
  memset(base, 0, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  return base;
}
