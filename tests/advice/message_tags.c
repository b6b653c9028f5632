// As message_source.c. Advice: different tags.
#include "../programs/rma/rma.h"
// run: ranks=3
// output: results 10 20
// expect message race: receive @{receive} send @{send}
// expect not deterministic
// expect report buggy: Try: name the source, use different tags, *

int main(int argc, char** argv) {
  begin(argc, argv);
#ifdef FIXED
  const int step = 1;
#else
  const int step = 0;
#endif
  int value = 10 * rank, results[3];
  if (rank > 0) {
    MPI_Send(&value, 1, MPI_INT, 0, rank * step, MPI_COMM_WORLD); /*{send}*/
  } else {
    for (int other = 1; other < size; ++other)
      MPI_Recv(&results[other], 1, MPI_INT, MPI_ANY_SOURCE, other * step, /*{receive}*/
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("results %d %d\n", results[1], results[2]);
  }
  MPI_Finalize();
}
