// MPI and OpenSHMEM in one program: a message orders, and a put is complete after shmem_quiet.
#include <mpi.h>

#include "pes.h"
// run: ranks=2
// output: got 7
// expect race: put @{put} load @{load}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  begin();
  long* data = longs(4);
  const long values[4] = {7, 7, 7, 7};
  if (me == 0) {
    shmem_long_put(data, values, 4, 1); /*{put}*/
#ifdef FIXED
    shmem_quiet();
#endif
    MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("got %ld\n", data[2]); /*{load}*/
  }
  shmem_barrier_all();
  shmem_finalize();
}
