// Rank 0 puts into rank 2, and readies one partition of a message to rank 1. Rank 1 gets the data
// when MPI_Parrived returns true for this partition. The two ranks partition the message
// differently. The bug: the put follows that MPI_Pready, and only precedes the one of another
// partition. Fixed: before it.
#include "rma.h"
// run: ranks=3 mpi=mpich
// output: got 7
// output buggy: got *
// expect race: put @{put} get @{get}
enum { kParts = 4 };

static void put_seven(MPI_Win win) {
  const int seven = 7;
  MPI_Put(&seven, 1, MPI_INT, 2, 0, 1, MPI_INT, win); /*{put}*/
  MPI_Win_flush(2, win);
}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(1, &win);
  int parts[kParts] = {0}, got = 0;
  MPI_Request request;
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Psend_init(parts, kParts, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready(2, request);
#ifdef FIXED
    put_seven(win);
#endif
    MPI_Pready(3, request);
#ifndef FIXED
    put_seven(win);
#endif
    MPI_Pready_range(0, 1, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
  if (rank == 1) {
    MPI_Precv_init(parts, kParts / 2, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    for (int there = 0; !there; sched_yield()) MPI_Parrived(request, 1, &there);
    MPI_Get(&got, 1, MPI_INT, 2, 0, 1, MPI_INT, win); /*{get}*/
    MPI_Win_flush(2, win);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    printf("got %d\n", LOAD(got));
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
