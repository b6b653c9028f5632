// The buffer of a put is MPI_BOTTOM with a datatype of absolute addresses: two variables far apart.
// One of them is overwritten while the put is pending; a third one, which lies between them, may
// be. Fixed: after the flush.
#include "rma.h"
// run: ranks=2
// output: received 1 2
// expect race: load @{put} store @{store}
static int apart[100];

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(2, &win);
  apart[3] = 1;
  apart[90] = 2;
  MPI_Datatype absolute;
  MPI_Aint places[2];
  const int lengths[2] = {1, 1};
  MPI_Get_address(&apart[3], &places[0]);
  MPI_Get_address(&apart[90], &places[1]);
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &absolute);
  MPI_Type_commit(&absolute);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Put(MPI_BOTTOM, 1, absolute, 1, 0, 2, MPI_INT, win); /*{put}*/
    STORE(apart[40], 7);
#ifdef FIXED
    MPI_Win_flush_local(1, win);
#endif
    STORE(apart[90], 9); /*{store}*/
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) printf("received %d %d\n", LOAD(memory[0]), LOAD(memory[1]));
  MPI_Type_free(&absolute);
  MPI_Win_free(&win);
  MPI_Finalize();
}
