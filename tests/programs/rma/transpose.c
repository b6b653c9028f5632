// Correct: a matrix, distributed by rows, is transposed: first each rank puts its rows as
// columns, with a vector type at the target; then back again with gets, with the vector type at
// the origin.
#include "rma.h"
// run: ranks=4
// output: transposed twice
// expect no race
enum { kRows = 2, kSize = 8 };  // each rank has 2 of 8 rows

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win there;
  int a[kRows * kSize], again[kRows * kSize] = {0}, *b = int_window(kRows * kSize, &there);
  for (int i = 0; i < kRows * kSize; ++i) STORE(a[i], rank * kRows * kSize + i);
  MPI_Datatype column;
  MPI_Type_vector(kRows, 1, kSize, MPI_INT, &column);
  MPI_Type_commit(&column);

  // Row r of this rank is column `rank * kRows + r`, of which each rank has a piece.
  MPI_Win_fence(MPI_MODE_NOPRECEDE, there);
  for (int r = 0; r < kRows; ++r)
    for (int target = 0; target < size; ++target)
      MPI_Put(&a[r * kSize + target * kRows], kRows, MPI_INT, target, rank * kRows + r, 1, column,
              there);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, there);
  for (int i = 0; i < kRows * kSize; ++i) {
    const int row = rank * kRows + i / kSize, col = i % kSize;
    CHECK(LOAD(b[i]) == col * kSize + row);
  }

  // And back: row r of the other rank is a column of this one.
  MPI_Win_lock_all(0, there);
  for (int target = 0; target < size; ++target)
    for (int r = 0; r < kRows; ++r)
      MPI_Get(&again[target * kRows + r], 1, column, target, r * kSize + rank * kRows, kRows,
              MPI_INT, there);
  MPI_Win_unlock_all(there);
  int right = 1, all;
  for (int i = 0; i < kRows * kSize; ++i) right &= LOAD(again[i]) == LOAD(a[i]);
  MPI_Reduce(&right, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rank == 0 && all) printf("transposed twice\n");
  MPI_Type_free(&column);
  MPI_Win_free(&there);
  MPI_Finalize();
}
