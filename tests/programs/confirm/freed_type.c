// A put with a type that the program frees at once, as libraries do that make one for each
// operation; the owner's load waits for a message only. To go second, the put is deferred, and
// issued when the program has freed the type. Fixed: a flush before the message.
#include "../rma/rma.h"
// run: ranks=2
// output: read 0 or 7
// expect confirmed: put @{put} load @{load}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(32, &win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    static const int sevens[4] = {7, 7, 7, 7};
    MPI_Datatype spread;
    MPI_Type_vector(2, 1, 2, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    MPI_Put(sevens, 1, spread, 1, 0, 1, spread, win); /*{put}*/
    MPI_Type_free(&spread);
#ifdef FIXED
    MPI_Win_flush(1, win);
#endif
    MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_sync(win);
    const int read = LOAD(memory[2]); /*{load}*/
    if (read == 0 || read == 7) printf("read 0 or 7\n");
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
