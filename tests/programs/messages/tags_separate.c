// Receives from any source that are distinguished by tags. The bug: one tag for both kinds of
// messages.
//
// run: ranks=3
// expect message race: receive @{first} send @{give}
// output: 10 20
#include <mpi.h>
#include <stdio.h>

#ifdef FIXED
enum { kSecond = 2 };
#else
enum { kSecond = 1 };
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    int a, b;
    MPI_Recv(&a, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /*{first}*/
    MPI_Recv(&b, 1, MPI_INT, MPI_ANY_SOURCE, kSecond, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE); /*{second}*/
    printf("%d %d\n", a < b ? a : b, a < b ? b : a);
  } else {
    const int value = 10 * rank;
    // The first message was sent, which does not imply that it has arrived.
    if (rank == 2) MPI_Recv(NULL, 0, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 0, rank == 1 ? 1 : kSecond, MPI_COMM_WORLD); /*{give}*/
    if (rank == 1) MPI_Send(NULL, 0, MPI_INT, 2, 9, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
