// MPI_Comm_idup: the communicator exists when its request completes, and ranks may wait for two of
// them in different orders. Each nevertheless has one uid on all ranks.
#include "check.h"
// run: ranks=3
// output: two duplicates
// expect rank all: MPI_Comm_idup comm=MPI_COMM_WORLD new=$one request=$first
// expect rank all: MPI_Comm_idup comm=MPI_COMM_WORLD new=$two request=$second
// expect rank 0: MPI_Wait requests=[$first] done=[$first]
// expect rank 0: MPI_Wait requests=[$second] done=[$second]
// expect rank 1,2: MPI_Wait requests=[$second] done=[$second]
// expect rank 1,2: MPI_Wait requests=[$first] done=[$first]
// expect rank all: MPI_Bcast comm=$one root=2
// expect rank all: MPI_Bcast comm=$two root=1
// expect define rank all: $one uid=$ONE group={0-2} parent=MPI_COMM_WORLD
// expect define rank all: $two uid=$TWO group={0-2} parent=MPI_COMM_WORLD
// expect distinct: $ONE $TWO

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm one, two;
  MPI_Request first, second;
  MPI_Comm_idup(MPI_COMM_WORLD, &one, &first);
  MPI_Comm_idup(MPI_COMM_WORLD, &two, &second);
  if (rank == 0) MPI_Wait(&first, MPI_STATUS_IGNORE);
  MPI_Wait(&second, MPI_STATUS_IGNORE);
  if (rank != 0) MPI_Wait(&first, MPI_STATUS_IGNORE);
  MPI_Bcast(&value, 1, MPI_INT, 2, one);
  MPI_Bcast(&value, 1, MPI_INT, 1, two);
  MPI_Comm_free(&one);
  MPI_Comm_free(&two);
  if (rank == 0) printf("two duplicates\n");
  MPI_Finalize();
}
