// Ranks put columns of a matrix, which interleave in memory and have no byte in common. The bug:
// rank 2's columns are one too far to the left, so that one of them is rank 1's. Fixed: each has
// its own two.
#include "rma.h"
// run: ranks=4
// output: row 1 1 2 2 3 3
// expect race: put @{put} put @{put}
enum { kRows = 5, kColumns = 6 };

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* matrix = int_window(kRows * kColumns, &win);
  MPI_Datatype columns;
  MPI_Type_vector(kRows, 2, kColumns, MPI_INT, &columns);
  MPI_Type_commit(&columns);
  int values[2 * kRows];
  for (int i = 0; i < 2 * kRows; ++i) values[i] = rank;
  int left = 2 * (rank - 1);
#ifndef FIXED
  if (rank == 2) --left;
#endif
  MPI_Win_fence(0, win);
  if (rank != 0) MPI_Put(values, 2 * kRows, MPI_INT, 0, left, 1, columns, win); /*{put}*/
  MPI_Win_fence(0, win);
  if (rank == 0) {
    printf("row");
    for (int i = 0; i < kColumns; ++i) printf(" %d", LOAD(matrix[3 * kColumns + i]));
    printf("\n");
  }
  MPI_Type_free(&columns);
  MPI_Win_free(&win);
  MPI_Finalize();
}
