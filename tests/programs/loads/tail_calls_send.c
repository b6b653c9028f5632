// A receive matches a message of either of two ranks. The send is the last statement of its
// function. As a tail call, the report would name the line of its caller. Fixed: the receives name
// their source.
#include "../rma/rma.h"
// run: ranks=3
// output: got 3
// expect message race: receive @{take} send @{give}
// expect report buggy: #0 give *{give}*
// expect report buggy: #1 give_checked *{checked}*
// expect report buggy: #2 main *{main}*

__attribute__((noinline)) static int give(const int* value, int to) {
  return MPI_Send(value, 1, MPI_INT, to, 0, MPI_COMM_WORLD); /*{give}*/
}

__attribute__((noinline)) static int give_checked(const int* value, int to) {
  if (to < 0) return MPI_ERR_RANK;
  return give(value, to); /*{checked}*/
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int sum = 0;
  for (int from = 1; from < size; ++from) {
    int got = 0;
#ifdef FIXED
    const int source = from;
#else
    const int source = MPI_ANY_SOURCE;
#endif
    if (rank == 0)
      MPI_Recv(&got, 1, MPI_INT, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /*{take}*/
    sum += got;
  }
  if (rank != 0) give_checked(&rank, 0); /*{main}*/
  if (rank == 0) printf("got %d\n", sum);
  MPI_Finalize();
}
