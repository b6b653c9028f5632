// A dynamic window: memory is attached later, displacements are addresses. Two blocks are attached;
// the owner loads what another rank puts into the second one. Fixed: it waits for a message that
// says that the put is complete.
#include "rma.h"
// run: ranks=2
// output: read 7 8
// expect race: put @{put} load @{load}
static _Alignas(64) int first[16], second[16];

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, first, sizeof first);
  MPI_Win_attach(win, second, sizeof second);
  MPI_Aint places[2];
  MPI_Get_address(&first[3], &places[0]);
  MPI_Get_address(&second[3], &places[1]);
  if (rank == 0) {
    const int values[2] = {7, 8};
    MPI_Recv(places, 2, MPI_AINT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(&values[0], 1, MPI_INT, 1, places[0], 1, MPI_INT, win);
    MPI_Put(&values[1], 1, MPI_INT, 1, places[1], 1, MPI_INT, win); /*{put}*/
    MPI_Win_unlock(1, win);
    tell(1);
  } else {
    int read[2];
    MPI_Send(places, 2, MPI_AINT, 0, 0, MPI_COMM_WORLD);
#ifdef FIXED
    hear(0);
#endif
    read[1] = LOAD(second[3]); /*{load}*/
#ifndef FIXED
    hear(0);
#endif
    read[0] = LOAD(first[3]);
    printf("read %d %d\n", read[0], read[1]);
  }
  MPI_Win_detach(win, second);
  MPI_Win_detach(win, first);
  MPI_Win_free(&win);
  MPI_Finalize();
}
