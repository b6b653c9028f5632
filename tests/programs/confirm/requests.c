// Operations with a request: a put that the owner's load does not wait for, and an origin's buffer
// that is written too early. The first can be seen in both orders, but a put with a request cannot
// be deferred. Fixed: a wait for the buffer, and a flush for the target.
#include "../rma/rma.h"
// run: ranks=2
// output: read 7, got 3
// expect confirmed: put @{rput} load @{load}
// expect confirmed: store @{rget} load @{use}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(32, &win);
  memory[16] = 3;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    const int seven = 7;
    int got = 0;
    MPI_Request requests[2];
    MPI_Rput(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &requests[0]); /*{rput}*/
    MPI_Rget(&got, 1, MPI_INT, 1, 16, 1, MPI_INT, win, &requests[1]);  /*{rget}*/
#ifdef FIXED
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush(1, win);
#endif
    const int used = LOAD(got); /*{use}*/
#ifndef FIXED
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#endif
    MPI_Send(&used, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    int used;
    MPI_Recv(&used, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_sync(win);
    printf("read %d, got %d\n", LOAD(memory[0]), used); /*{load}*/
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
