// A master that hands out work on request: which worker gets which piece depends on timing. That is
// the purpose of such programs, and it is reported. Fixed: pieces are handed out in rank order, and
// results are received in rank order.
//
// run: ranks=4
// expect message race: receive @{ask} send @{report}
// expect not deterministic
// expect independent of send buffering
// output: sum 190
#include <mpi.h>
#include <stdio.h>

enum { kPieces = 20, kWork = 1, kDone = 2 };

static int work_on(int piece) { return piece; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    int sum = 0, piece = 0, busy = size - 1;
    for (int turn = 1; busy > 0; turn = turn % (size - 1) + 1) {
      int result;
      MPI_Status status;
#ifdef FIXED
      MPI_Recv(&result, 1, MPI_INT, turn, 0, MPI_COMM_WORLD, &status);
#else
      MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status); /*{ask}*/
#endif
      sum += result;
      if (piece < kPieces)
        MPI_Send(&piece, 1, MPI_INT, status.MPI_SOURCE, kWork, MPI_COMM_WORLD);
      else
        MPI_Send(&piece, 1, MPI_INT, status.MPI_SOURCE, kDone, MPI_COMM_WORLD);
      busy -= piece >= kPieces;
      ++piece;
    }
    printf("sum %d\n", sum);
  } else {
    for (int result = 0;;) {
      int piece;
      MPI_Send(&result, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /*{report}*/
      MPI_Status status;
      MPI_Recv(&piece, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      if (status.MPI_TAG == kDone) break;
      result = work_on(piece);
    }
  }
  MPI_Finalize();
  return 0;
}
