// Operations that only read a buffer may share it: two puts, a put and a send, a put and the rank's
// own loads. The bug: a fetch_and_op then uses the same variable for its result. Fixed: another
// variable.
#include "rma.h"
// run: ranks=2
// output: received 7 7 7
// expect race: load @{put} store @{fetch}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(3, &win);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    int seven = 7, one = 1, other = 0;
#ifdef FIXED
    int* result = &other;
#else
    int* result = &seven;
#endif
    for (int place = 0; place < 2; ++place)
      MPI_Put(&seven, 1, MPI_INT, 1, place, 1, MPI_INT, win); /*{put}*/
    MPI_Send(&seven, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    CHECK(LOAD(seven) == 7);
    MPI_Fetch_and_op(&one, result, MPI_INT, 1, 2, MPI_SUM, win); /*{fetch}*/
    MPI_Win_flush(1, win);
    (void)other;
    tell(1);
  } else {
    int sent;
    MPI_Recv(&sent, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    hear(0);
    printf("received %d %d %d\n", LOAD(memory[0]), LOAD(memory[1]), LOAD(sent));
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
