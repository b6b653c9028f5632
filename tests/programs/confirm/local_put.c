// A put is locally complete after MPI_Win_flush_local: the program overwrites its buffer, and
// frees the datatype, while the put is still pending at the target. The target may read 0 or 7,
// and nothing else, in either order. Fixed: MPI_Win_flush before the message.
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
    MPI_Datatype spread;
    MPI_Type_vector(2, 1, 2, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    static int sevens[4];
    for (int i = 0; i < 4; ++i) sevens[i] = 7;
    MPI_Put(sevens, 1, spread, 1, 0, 1, spread, win); /*{put}*/
    MPI_Type_free(&spread);
#ifdef FIXED
    MPI_Win_flush(1, win);
#else
    MPI_Win_flush_local(1, win);
#endif
    for (int i = 0; i < 4; ++i) sevens[i] = 99;
    tell(1);
  } else {
    hear(0);
    MPI_Win_sync(win);
    const int read = LOAD(memory[2]); /*{load}*/
    if (read == 0 || read == 7)
      printf("read 0 or 7\n");
    else
      printf("read %d\n", read);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1 && memory[2] != 7) printf("in the end %d\n", memory[2]);
  MPI_Win_free(&win);
  MPI_Finalize();
}
