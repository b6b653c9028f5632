// A wavefront over the blocks of the threads, passed on by strict flags (papers: NPB LU). No race.
#include <stdio.h>
#include <upc_relaxed.h>

#define N 8       // rows of each thread
#define COLUMNS 12

shared [N * COLUMNS] double a[N * COLUMNS * THREADS];
strict shared int done[THREADS];  // columns that the thread has finished
#define A(row, column) a[(row) * COLUMNS + (column)]

int main(void) {
  upc_barrier;
  for (int column = 0; column < COLUMNS; column++) {
    if (MYTHREAD > 0)
      while (done[MYTHREAD - 1] <= column)
        ;
    for (int i = 0; i < N; i++) {
      const int row = N * MYTHREAD + i;
      const double above = row > 0 ? A(row - 1, column) : 1, left = column > 0 ? A(row, column - 1) : 1;
      A(row, column) = (above + left) / 2;
    }
    done[MYTHREAD] = column + 1;
  }
  upc_barrier;
  if (MYTHREAD == 0) printf("lu: %s\n", A(N * THREADS - 1, COLUMNS - 1) == 1 ? "passed" : "failed");
  return 0;
}
