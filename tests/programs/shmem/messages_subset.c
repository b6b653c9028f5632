// MPI messages that synchronization of some PEs orders: PE 2 sends when PE 0 has received the
// message of PE 1. Fixed: the two synchronize between the first receive and the second send.
#include <mpi.h>

#include "pes.h"
// run: ranks=3
// expect message race: receive @{receive} send @{send}
// expect not deterministic
// expect independent of send buffering
// output: got 1 2
// output buggy: got * *

static long sync[SHMEM_BARRIER_SYNC_SIZE];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  begin();
  for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; ++i) sync[i] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  int values[2] = {0, 0};
  for (int i = 0; i < 2; ++i) {
    if (me == 0)
      MPI_Recv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE); /*{receive}*/
#ifdef FIXED
    if (i == 0 && me != 1) shmem_barrier(0, 1, 2, sync);
#endif
    if (me == i + 1) MPI_Send(&me, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /*{send}*/
  }
  if (me == 0) printf("got %d %d\n", values[0], values[1]);
  shmem_barrier_all();
  shmem_finalize();
}
