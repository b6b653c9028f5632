// Each rank puts a row of 8 ints, one int too close to the next. Advice: check displacements and
// counts first.
#include "../programs/rma/rma.h"
// run: ranks=3
// output: row 0 starts with 1, row 1 starts with 2, row 2 starts with 3
// expect race: put @{put} put @{put}
// expect report buggy: Try: check displacements and counts first: only 4 bytes of 32 bytes and 32 bytes overlap. If that is intended: MPI_Win_fence between the two puts.

enum { kRow = 8 };

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int *memory = int_window(3 * kRow, &win), row[kRow];
#ifdef FIXED
  const int distance = kRow;
#else
  const int distance = kRow - 1;
#endif
  for (int i = 0; i < kRow; ++i) row[i] = rank + 1;
  MPI_Win_fence(0, win);
  MPI_Put(row, kRow, MPI_INT, 0, rank * distance, kRow, MPI_INT, win); /*{put}*/
  MPI_Win_fence(0, win);
  if (rank == 0)
    printf("row 0 starts with %d, row 1 starts with %d, row 2 starts with %d\n", memory[0],
           memory[kRow], memory[2 * kRow]);
  MPI_Win_free(&win);
  MPI_Finalize();
}
