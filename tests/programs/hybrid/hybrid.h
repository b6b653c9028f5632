// What the programs of this folder share: MPI with threads, and a rank and size.
#pragma once
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static inline void begin_threads(int argc, char** argv, int level) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, level, &provided);
  if (provided < level) {
    printf("MPI provides thread level %d only\n", provided);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}
