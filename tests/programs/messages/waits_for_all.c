// Each rank waits for two messages in one call. One comes, the other is never sent: a deadlock,
// although one of the requests is complete. Fixed: both are sent.
#include "../mpi/check.h"
// run: ranks=2
// output: done
// expect deadlock
// expect report buggy: rank 0 waits in MPI_Waitall {wait} for a match of its MPI_Irecv {post} (tag *) by rank 1
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, out = 1, in[2];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Request requests[2];
  for (int tag = 0; tag < 2; ++tag)
    MPI_Irecv(&in[tag], 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, /*{post}*/
              &requests[tag]);
  MPI_Send(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
#ifdef FIXED
  MPI_Send(&out, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
#endif
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /*{wait}*/
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
