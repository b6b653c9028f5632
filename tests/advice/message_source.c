// Rank 0 assigns results to ranks by the order in which they arrive. Advice: name the source.
#include "../programs/rma/rma.h"
// run: ranks=3
// output: results 10 20
// expect message race: receive @{receive} send @{send}
// expect not deterministic
// expect report buggy: Try: name the source, use different tags, or let rank * send only after this receive. If every match is correct, mark the receive as intended (photofinish/annotate.h) or suppress it.

int main(int argc, char** argv) {
  begin(argc, argv);
  int value = 10 * rank, results[3];
  if (rank > 0) {
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /*{send}*/
  } else {
    for (int other = 1; other < size; ++other) {
#ifdef FIXED
      const int source = other;
#else
      const int source = MPI_ANY_SOURCE;
#endif
      MPI_Recv(&results[other], 1, MPI_INT, source, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE); /*{receive}*/
    }
    printf("results %d %d\n", results[1], results[2]);
  }
  MPI_Finalize();
}
