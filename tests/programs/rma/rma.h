// Shared by the programs of this folder: rank and size, a window of ints, messages for turns, LOAD,
// STORE and CHECK. The racing calls are in the programs themselves, so that reports have their
// lines.
#pragma once
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../mpi/check.h"
#include "access.h"

static int rank, size;

static inline void begin(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

// MPICH 4.0.2 with UCX places the ranks' parts of an allocated window end to end, and fails for
// parts that do not begin at a multiple of 64 bytes: so their size must be one.
static inline MPI_Aint whole_lines(MPI_Aint bytes) { return (bytes + 63) / 64 * 64; }

// `count` ints on each rank, zero when it returns; the displacement unit is an int.
static inline int* int_window(int count, MPI_Win* win) {
  int* base = NULL;
  const MPI_Aint bytes = whole_lines(count * (MPI_Aint)sizeof(int));
  MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, win);
  memset(base, 0, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  return base;
}

// An empty message: what the sender did before it happens before what the receiver does after
// it.
static inline void tell(int to) {
  MPI_Send(NULL, 0, MPI_INT, to, 0, MPI_COMM_WORLD); /*{tell-sends}*/
}
static inline void hear(int from) {
  MPI_Recv(NULL, 0, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /*{hear-takes}*/
}
