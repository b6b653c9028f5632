// Memory is detached from a dynamic window and attached again. A message orders a put of the first
// attachment before a load of the second one, and the owner may access detached memory freely. The
// bug: rank 0 puts again after that message, while the owner loads. Fixed: the owner waits for a
// second message before it loads.
#include "rma.h"
// run: ranks=2
// output: read 1 9 2
// expect race: put @{second} load @{load}
static _Alignas(64) int memory[16];

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, memory, sizeof memory);
  MPI_Aint place;
  MPI_Get_address(memory, &place);
  if (rank == 0) {
    const int values[2] = {1, 2};
    MPI_Recv(&place, 1, MPI_AINT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(&values[0], 1, MPI_INT, 1, place, 1, MPI_INT, win);
    MPI_Win_unlock(1, win);
    tell(1);
    hear(1);  // attached again
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(&values[1], 1, MPI_INT, 1, place, 1, MPI_INT, win); /*{second}*/
    MPI_Win_unlock(1, win);
    tell(1);
  } else {
    MPI_Send(&place, 1, MPI_AINT, 0, 0, MPI_COMM_WORLD);
    hear(0);
    const int first = LOAD(memory[0]);
    MPI_Win_detach(win, memory);
    STORE(memory[0], 9);
    const int alone = LOAD(memory[0]);
    MPI_Win_attach(win, memory, sizeof memory);
    tell(0);
#ifdef FIXED
    hear(0);
#endif
    const int second = LOAD(memory[0]); /*{load}*/
#ifndef FIXED
    hear(0);
#endif
    printf("read %d %d %d\n", first, alone, second);
  }
  MPI_Win_detach(win, memory);
  MPI_Win_free(&win);
  MPI_Finalize();
}
