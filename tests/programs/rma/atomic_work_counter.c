// A shared counter hands out pieces of work. Each piece goes to one rank, which puts its result to
// the slot of the piece. The bug: the number of the piece is used before the fetch_and_op is
// flushed. Fixed: after the flush.
#include "rma.h"
// run: ranks=4
// output: results 385
// expect race: store @{fetch} load @{use}
enum { kPieces = 10 };

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1 + kPieces, &win);  // the counter, the results
  const int one = 1;
  int pieces[kPieces + 1], results[kPieces], count = 0;
  for (int i = 0; i <= kPieces; ++i) pieces[i] = kPieces;  // an unknown piece is past the last one
  MPI_Win_lock_all(0, win);
  for (;;) {
    MPI_Fetch_and_op(&one, &pieces[count], MPI_INT, 0, 0, MPI_SUM, win); /*{fetch}*/
#ifdef FIXED
    MPI_Win_flush(0, win);
#endif
    const int piece = LOAD(pieces[count]); /*{use}*/
    if (piece >= kPieces) break;
    STORE(results[count], (piece + 1) * (piece + 1));
    MPI_Put(&results[count], 1, MPI_INT, 0, 1 + piece, 1, MPI_INT, win);
    ++count;
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  int sum = 0;
  for (int i = 0; i < kPieces; ++i) sum += LOAD(memory[1 + i]);
  if (rank == 0) printf("results %d\n", sum);
  MPI_Win_free(&win);
  MPI_Finalize();
}
