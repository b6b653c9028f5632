// A function called through a pointer sums up the result of a get before the get completes. Fixed:
// a flush before.
#include "../rma/rma.h"
// run: ranks=2
// output: sum 6
// output buggy: sum *
// expect race: store @{get} load @{load}

typedef int (*reduction)(const int*, int);

static int sum(const int* values, int count) {
  int result = 0;
  for (int i = 0; i < count; ++i) result += values[i]; /*{load}*/
  return result;
}
static int largest(const int* values, int count) {
  int result = 0;
  for (int i = 0; i < count; ++i)
    if (values[i] > result) result = values[i];
  return result;
}
static reduction volatile chosen[] = {largest, sum};

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(3, &win);
  for (int i = 0; i < 3; ++i) memory[i] = i + 1;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    int got[3] = {0};
    MPI_Get(got, 3, MPI_INT, 1, 0, 3, MPI_INT, win); /*{get}*/
#ifdef FIXED
    MPI_Win_flush(1, win);
#endif
    printf("sum %d\n", chosen[argc](got, 3));
    MPI_Win_flush(1, win);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
