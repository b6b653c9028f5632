// A synchronous send and a receive with different tags. Advice: one tag.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: received 5
// expect deadlock
// expect report buggy: rank 0 waits in MPI_Ssend deadlock_tags.c:* (tag 8) for rank 1
// expect report buggy: rank 1 waits in MPI_Recv deadlock_tags.c:* (tag 7) for rank 0
// expect report buggy: Try: the same tag in MPI_Ssend deadlock_tags.c:* (tag 8) and MPI_Recv deadlock_tags.c:* (tag 7), or a receive of tag 8 before MPI_Recv deadlock_tags.c:*.

int main(int argc, char** argv) {
  begin(argc, argv);
#ifdef FIXED
  const int tag = 7;
#else
  const int tag = 8;
#endif
  int value = 5;
  if (rank == 0) {
    MPI_Ssend(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("received %d\n", value);
  }
  MPI_Finalize();
}
