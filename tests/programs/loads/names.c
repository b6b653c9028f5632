// Reports name the memory and show the source line: a global array exposed by a window, a local
// array that is sent, and a block of the heap, named by its allocation and the argument of the
// call.
#include "../rma/rma.h"
// run: ranks=2
// output: sums 36 8 8
// expect race: put @{put} load @{load}
// expect race: load @{isend} store @{row}
// expect race: load @{isend-heap} store @{heap}
// expect report buggy: window created by MPI_Win_create in main {create}, exposes variable `grid`
// expect report buggy: `row`, local of main: memory of rank 0 at *, the buffer of MPI_Isend
// expect report buggy: block of 36 bytes allocated in main {heap-block}: memory of rank 0 at *, the buffer `heap + 1` of MPI_Isend
// expect report buggy: * | MPI_Put(part, 4, MPI_INT, 1, 4, 4, MPI_INT, win); *
// expect report buggy: * | sum += grid[i]; *
// expect report buggy: * | MPI_Isend(row, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]); *
// expect report buggy: * | row[0] = 9; *
// expect report buggy: * | heap[1] = 9; *

static int grid[8];

int main(int argc, char** argv) {
  begin(argc, argv);
  int sum = 0, row[8], part[4] = {1, 1, 1, 1}, received[2][8];
  int* heap = malloc(9 * sizeof(int)); /*{heap-block}*/
  for (int i = 0; i < 8; ++i) grid[i] = i + 1, row[i] = heap[i + 1] = 1;
  MPI_Win win;
  MPI_Win_create(grid, sizeof grid, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win); /*{create}*/
  MPI_Win_lock_all(0, win);
#ifdef FIXED
  for (int i = 0; i < 8 && rank == 1; ++i) sum += grid[i];
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  if (rank == 0) {
    MPI_Put(part, 4, MPI_INT, 1, 4, 4, MPI_INT, win); /*{put}*/
  }
#ifndef FIXED
  for (int i = 0; i < 8 && rank == 1; ++i) {
    sum += grid[i]; /*{load}*/
  }
#endif
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  if (rank == 0) {
    MPI_Request requests[2];
    MPI_Isend(row, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);      /*{isend}*/
    MPI_Isend(heap + 1, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[1]); /*{isend-heap}*/
#ifdef FIXED
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#endif
    row[0] = 9;  /*{row}*/
    heap[1] = 9; /*{heap}*/
#ifndef FIXED
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#endif
    MPI_Send(row, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Send(heap + 1, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else {
    int sums[2] = {0, 0};
    for (int i = 0; i < 2; ++i) {
      MPI_Recv(received[i], 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int j = 0; j < 8; ++j) sums[i] += received[i][j];
    }
    for (int i = 0; i < 2; ++i)
      MPI_Recv(received[i], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("sums %d %d %d\n", sum, sums[0], sums[1]);
  }
  free(heap);
  MPI_Finalize();
}
