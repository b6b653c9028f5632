// A gather by MPI_ANY_SOURCE that takes the messages in order of arrival, and assumes that this is
// the order of ranks. Fixed: it names each source.
//
// run: ranks=4
// expect message race: receive @{take} send @{give}
// expect not deterministic
// output: 4 ranks
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    int values[8];
    for (int i = 1; i < size; ++i) {
#ifdef FIXED
      const int from = i;
#else
      const int from = MPI_ANY_SOURCE;
#endif
      MPI_Recv(&values[i], 1, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /*{take}*/
    }
    printf("%d ranks\n", size);
  } else {
    MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD); /*{give}*/
  }
  MPI_Finalize();
  return 0;
}
