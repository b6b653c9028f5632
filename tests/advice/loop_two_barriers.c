// In a loop: a store, a barrier, a get of the neighbor. The store of the next iteration races with
// the get. Advice: a second barrier, after the get.
#include "../programs/rma/rma.h"
// run: ranks=3
// output: sum 18
// expect race: store @{store} get @{get}
// expect report buggy: Try: a barrier or a message between the get and the store. If the get comes first, complete it before the barrier or message (MPI_Win_flush, not MPI_Win_flush_local). In a loop: one after each of the two.

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int *memory = int_window(1, &win), sum = 0, total = 0;
  MPI_Win_lock_all(0, win);
  for (int step = 1; step <= 3; ++step) {
    int value;
    memory[0] = step; /*{store}*/
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Get(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win); /*{get}*/
    MPI_Win_flush((rank + 1) % size, win);
    sum += value;
#ifdef FIXED
    MPI_Barrier(MPI_COMM_WORLD);
#endif
  }
  MPI_Win_unlock_all(win);
  MPI_Reduce(&sum, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d\n", total);
  MPI_Win_free(&win);
  MPI_Finalize();
}
