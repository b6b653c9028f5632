// Two ranks send to each other, and receive afterwards. The program completes only if the MPI
// library buffers the messages: it buffers small ones, but not large ones (the argument is their
// size in ints). Built with -DFIXED they use MPI_Sendrecv.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int count = argc > 1 ? atoi(argv[1]) : 1;
  int rank, *out = calloc(count, sizeof(int)), *in = calloc(count, sizeof(int));
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef FIXED
  MPI_Sendrecv(out, count, MPI_INT, 1 - rank, 0, in, count, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
#else
  MPI_Send(out, count, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Recv(in, count, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
  if (rank == 0) printf("exchanged\n");
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
