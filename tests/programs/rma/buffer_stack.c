// The bug in ADLB that MC-Checker reports: a put from a stack variable is pending when its function
// returns; another function reuses the address. Fixed: a local flush before the return.
#include "rma.h"
// run: ranks=2
// output: put 7, computed 3
// expect race by hand: load @{put} store @{store}
// expect race with the pass: load @{put} release @{return}

static MPI_Win win;

// Both have one array as their only variable, so that it has the same address.
__attribute__((noinline)) static void send_value(void) {
  int frame[32];
  frame[16] = 7;
  MPI_Put(&frame[16], 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
#ifdef FIXED
  MPI_Win_flush_local(1, win);
#endif
} /*{return}*/

__attribute__((noinline)) static int compute(void) {
  int frame[32];
  for (int i = 0; i < 32; ++i) STORE(frame[i], 3); /*{store}*/
  return frame[20];
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int* memory = int_window(1, &win);
  int computed = 0;
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    send_value();
    computed = compute();
  }
  MPI_Win_unlock_all(win);
  MPI_Bcast(&computed, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 1) printf("put %d, computed %d\n", LOAD(memory[0]), computed);
  MPI_Win_free(&win);
  MPI_Finalize();
}
