// Two pending receives into one buffer: the message that arrives last wins. Fixed: two buffers.
#include "rma.h"
// run: ranks=2
// output: received 1 2
// expect race: store @{first} store @{second}

int main(int argc, char** argv) {
  begin(argc, argv);
  if (rank == 0) {
    int buffer[2] = {0};
#ifdef FIXED
    int* other = &buffer[1];
#else
    int* other = &buffer[0];
#endif
    MPI_Request requests[2];
    MPI_Irecv(&buffer[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]); /*{first}*/
    MPI_Irecv(other, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);      /*{second}*/
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    printf("received %d %d\n", LOAD(buffer[0]), LOAD(buffer[1]));
  } else {
    const int values[2] = {1, 2};
    for (int i = 0; i < 2; ++i) MPI_Send(&values[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
