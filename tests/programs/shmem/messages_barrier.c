// MPI messages that a barrier of OpenSHMEM orders: PE 2 sends when PE 0 has received the message of
// PE 1. Fixed: a barrier between the first receive and the second send.
#include <mpi.h>

#include "pes.h"
// run: ranks=3
// expect message race: receive @{first} send @{send}
// expect not deterministic
// expect not independent of send buffering
// output: got 1 2
// output buggy: got * *

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  begin();
  int values[2] = {0, 0};
#ifdef FIXED
  const int last = 1;
#else
  const int last = 2;
#endif
  if (me > 0 && me <= last) MPI_Send(&me, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /*{send}*/
  if (me == 0)
    MPI_Recv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE); /*{first}*/
  shmem_barrier_all();
#ifdef FIXED
  if (me == 2) MPI_Send(&me, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
#endif
  if (me == 0) {
    MPI_Recv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("got %d %d\n", values[0], values[1]);
  }
  shmem_barrier_all();
  shmem_finalize();
}
