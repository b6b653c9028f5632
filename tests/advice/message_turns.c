// As message_source.c. Advice: the second rank sends only after the receive.
#include "../programs/rma/rma.h"
// run: ranks=3
// output: results 10 20
// expect message race: receive @{receive} send @{send}
// expect not deterministic
// expect report buggy: Try: * or let rank * send only after this receive. *

int main(int argc, char** argv) {
  begin(argc, argv);
  int value = 10 * rank, results[3];
  if (rank > 0) {
#ifdef FIXED
    if (rank == 2) hear(0);
#endif
    MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); /*{send}*/
  } else {
    for (int other = 1; other < size; ++other) {
      MPI_Recv(&results[other], 1, MPI_INT, MPI_ANY_SOURCE, 1, /*{receive}*/
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef FIXED
      if (other == 1) tell(2);
#endif
    }
    printf("results %d %d\n", results[1], results[2]);
  }
  MPI_Finalize();
}
