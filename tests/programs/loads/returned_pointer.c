// A function returns the address of the next element to store in a buffer whose send is pending.
// Fixed: the wait comes first.
#include "../rma/rma.h"
// run: ranks=2
// output: received 1 2 3
// output buggy: received * * *
// expect race: load @{send} store @{store}

static int pool[64];

// Which half is known only at run time.
__attribute__((noinline)) static int* place_of(int block, int index) {
  return pool + 32 * (block % 2) + index;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int received[3] = {0};
  if (rank == 0) {
    MPI_Request request;
    for (int i = 0; i < 3; ++i) *place_of(argc, i) = i + 1;
    MPI_Isend(place_of(argc, 0), 3, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /*{send}*/
#ifdef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    *place_of(argc + 2, 1) = 9; /*{store}*/
#ifndef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  } else {
    MPI_Recv(received, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("received %d %d %d\n", received[0], received[1], received[2]);
  }
  MPI_Finalize();
}
