// The displacement unit is the target's, and differs between ranks: 4, 8, 16 bytes. Rank 0 puts to
// displacement 2 of all ranks; each owner loads its own bytes 8, 16, 32. The bug: that is where the
// put goes. Fixed: before a barrier each rank loads only the offsets of the other ranks, and its
// own offset after the barrier.
#include "rma.h"
// run: ranks=3
// output: rank 0 read 7, others 0
// output: rank 1 read 7, others 0
// output: rank 2 read 7, others 0
// expect race: put @{put} load @{load}
static _Alignas(64) int memory[16];

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  const int unit = 4 << rank, mine = 2 * unit / (int)sizeof(int);
  MPI_Win_create(memory, sizeof memory, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  const int seven = 7;
  int others = 0, value = 0;
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    for (int target = 0; target < size; ++target)
      MPI_Put(&seven, 1, MPI_INT, target, 2, 1, MPI_INT, win); /*{put}*/
    MPI_Win_flush_all(win);
  }
  for (int place = 2; place <= 8; place *= 2)
    if (place != mine) others += LOAD(memory[place]);
#ifdef FIXED
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  value = LOAD(memory[mine]); /*{load}*/
  printf("rank %d read %d, others %d\n", rank, value, others);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
