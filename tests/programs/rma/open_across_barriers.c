// A barrier completes nothing: a put, a get and a receive that are pending stay pending through
// any number of barriers, and race with later accesses. Fixed: they complete before the first
// barrier.
#include "rma.h"
// run: ranks=4
// output: rank 1 read 7, rank 0 got 3, received 5
// expect race: put @{put} load @{load}
// expect race: get @{get} store @{store}
// expect race: store @{receive} load @{use}
// expect report buggy: *MPI_Wait open_across_barriers.c:41*
// expect report buggy: *MPI_Win_unlock_all open_across_barriers.c:42*

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(2, &win);
  const int seven = 7, five = 5;
  int got = 0, received = 0, read = 0, used = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  STORE(memory[1], 3);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 2) MPI_Put(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
  if (rank == 0) {
    MPI_Get(&got, 1, MPI_INT, 1, 1, 1, MPI_INT, win);                 /*{get}*/
    MPI_Irecv(&received, 1, MPI_INT, 3, 0, MPI_COMM_WORLD, &request); /*{receive}*/
  }
  if (rank == 3) MPI_Send(&five, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
#ifdef FIXED
  MPI_Win_flush_all(win);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  for (int i = 0; i < 20; ++i) MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    read = LOAD(memory[0]); /*{load}*/
    STORE(memory[1], 4);    /*{store}*/
    MPI_Send(&read, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
  if (rank == 0) used = LOAD(received); /*{use}*/
  for (int i = 0; i < 20; ++i) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(win);
  if (rank == 0) {
    MPI_Recv(&read, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank 1 read %d, rank 0 got %d, received %d\n", read, LOAD(got), used);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
}
