// Two ranks put to one address in one epoch. The put and the calls that lead to it are the last
// statements of their functions. As tail calls, their frames would be missing in the stack of the
// report. Fixed: the second rank puts in another epoch.
#include "../rma/rma.h"
// run: ranks=3
// output: cell 2
// output buggy: cell *
// expect race: put @{put} put @{put}
// expect report buggy: #0 put_value *{put}*
// expect report buggy: #1 put_checked *{checked}*
// expect report buggy: #2 put_through *{through}*
// expect report buggy: #3 main *{main}*

__attribute__((noinline)) static int put_value(const int* value, MPI_Win win) {
  return MPI_Put(value, 1, MPI_INT, 0, 3, 1, MPI_INT, win); /*{put}*/
}

__attribute__((noinline)) static int put_checked(const int* value, MPI_Win win) {
  if (value == NULL) return MPI_ERR_BUFFER;
  return put_value(value, win); /*{checked}*/
}

// Through a pointer that the compiler cannot resolve.
static int (*volatile put_any)(const int*, MPI_Win) = put_checked;

__attribute__((noinline)) static int put_through(const int* value, MPI_Win win) {
  return put_any(value, win); /*{through}*/
}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  const int* cells = int_window(16, &win);
  const int value = rank;
  MPI_Win_fence(0, win);
  for (int turn = 1; turn < size; ++turn) {
    if (rank == turn) put_through(&value, win); /*{main}*/
#ifdef FIXED
    MPI_Win_fence(0, win);
#endif
  }
  MPI_Win_fence(0, win);
  if (rank == 0) printf("cell %d\n", cells[3]);
  MPI_Win_free(&win);
  MPI_Finalize();
}
