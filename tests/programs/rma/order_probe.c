// A successful probe is ordered after the sender, before the message is received: MPI_Probe,
// MPI_Mprobe and a successful MPI_Iprobe. The bug: rank 1 reads before each probe. Fixed: after
// it.
#include "rma.h"
// run: ranks=2
// output: read 0 1 2
// expect race: put @{put} load @{load0}
// expect race: put @{put} load @{load1}
// expect race: put @{put} load @{load2}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(3, &win);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    for (int i = 0; i < 3; ++i) {
      MPI_Put(&i, 1, MPI_INT, 1, i, 1, MPI_INT, win); /*{put}*/
      MPI_Win_flush(1, win);
      MPI_Send(NULL, 0, MPI_INT, 1, i, MPI_COMM_WORLD);
    }
  } else {
    int read[3], there = 0;
    MPI_Message message;
#ifndef FIXED
    read[0] = LOAD(memory[0]); /*{load0}*/
#endif
    MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef FIXED
    read[0] = LOAD(memory[0]);
#else
    read[1] = LOAD(memory[1]); /*{load1}*/
#endif
    MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
#ifdef FIXED
    read[1] = LOAD(memory[1]);
#else
    read[2] = LOAD(memory[2]); /*{load2}*/
#endif
    while (!there) {
      MPI_Iprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
      sched_yield();
    }
#ifdef FIXED
    read[2] = LOAD(memory[2]);
#endif
    MPI_Recv(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mrecv(NULL, 0, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("read %d %d %d\n", read[0], read[1], read[2]);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
