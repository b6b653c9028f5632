// A window of shared memory: each rank loads and stores its own part, and the parts of others,
// without MPI calls.
#pragma once
#include "app.h"

typedef struct {
  MPI_Win win;
  double* mine;  // the part of this rank
} Shared;

static Shared open_shared(MPI_Aint elements) {
  Shared shared;
  MPI_Win_allocate_shared(elements * (MPI_Aint)sizeof(double), sizeof(double), MPI_INFO_NULL,
                          MPI_COMM_WORLD, &shared.mine, &shared.win);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, shared.win);
  return shared;
}

static void close_shared(Shared* shared) {
  MPI_Win_unlock_all(shared->win);
  MPI_Win_free(&shared->win);
}

// The part of `rank` in the memory of this process. Parts of consecutive ranks are adjacent.
static inline double* part_of(const Shared* shared, int rank) {
  MPI_Aint bytes;
  int unit;
  double* part;
  MPI_Win_shared_query(shared->win, rank, &bytes, &unit, &part);
  return part;
}

// What all ranks stored before is visible to all of them afterwards.
static inline void shared_barrier(const Shared* shared) {
  MPI_Win_sync(shared->win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(shared->win);
}
