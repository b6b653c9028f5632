// MC-Checker's `emulate`: shared memory emulated over distributed memory. An increment of a shared
// variable is lock, get, add, put, unlock; but the get completes only at the unlock, so the add may
// use an old value. Fixed: a flush after the get.
#include "rma.h"
// run: ranks=2
// output: shared variables 6 6 6
// expect race by hand: store @{get} load @{add}
// expect race: store @{get} store @{add}
// expect race: store @{get} load @{put}
// expect race: get @{get} put @{put}
enum { kVariables = 3, kRounds = 3 };

static MPI_Win win;

// Variable v is on rank v % size, at index v / size.
static void increment(int variable) {
  const int home = variable % size, place = variable / size;
  int value = 0;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, home, 0, win);
  MPI_Get(&value, 1, MPI_INT, home, place, 1, MPI_INT, win); /*{get}*/
#ifdef FIXED
  MPI_Win_flush(home, win);
#endif
  STORE(value, LOAD(value) + 1);                             /*{add}*/
  MPI_Put(&value, 1, MPI_INT, home, place, 1, MPI_INT, win); /*{put}*/
  MPI_Win_unlock(home, win);
}

static int read_variable(int variable) {
  int value;
  const int home = variable % size;
  MPI_Win_lock(MPI_LOCK_SHARED, home, 0, win);
  MPI_Get(&value, 1, MPI_INT, home, variable / size, 1, MPI_INT, win);
  MPI_Win_unlock(home, win);
  return LOAD(value);
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int_window(kVariables, &win);
  for (int round = 0; round < kRounds; ++round)
    for (int variable = 0; variable < kVariables; ++variable) increment(variable);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("shared variables %d %d %d\n", read_variable(0), read_variable(1), read_variable(2));
  MPI_Win_free(&win);
  MPI_Finalize();
}
