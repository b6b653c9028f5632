// Results are received as they arrive, and the program declares that as intended. Fixed: they are
// received in rank order.
#include "../rma/rma.h"

#include "photofinish/annotate.h"
// run: ranks=4
// output: sum 6
// output buggy: sum 6
// expect message race: receive @{unsaid} send @{unsaid-result}
// expect report: NOTE: photofinish: 1 race was declared intended: "any result will do" at task_farm.c:*
// expect report: VERDICT: photofinish: not deterministic: *

int main(int argc, char** argv) {
  begin(argc, argv);
  int sum = 0;
  if (rank > 0) {
    MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); /*{result}*/
    MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD); /*{unsaid-result}*/
  }
  for (int i = 1; rank == 0 && i < size; ++i) {
    int result = 0;
    PHOTOFINISH_INTENDED_BEGIN("any result will do");
    MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    PHOTOFINISH_INTENDED_END();
    sum += LOAD(result);
  }
  for (int i = 1; rank == 0 && i < size; ++i) {
    int result = 0;
#ifdef FIXED
    const int from = i;
#else
    const int from = MPI_ANY_SOURCE;
#endif
    MPI_Recv(&result, 1, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /*{unsaid}*/
  }
  if (rank == 0) printf("sum %d\n", sum);
  MPI_Finalize();
}
