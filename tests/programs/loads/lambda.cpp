// A lambda captures the buffer of a put by reference, and stores to it while the put is pending;
// another one, passed to an algorithm, loads the result of a get. Fixed: a flush before.
#include <algorithm>
#include <functional>
#include <vector>

#include "../rma/rma.h"
// run: ranks=2
// output: counted 2
// output buggy: counted *
// expect race: load @{put} store @{store}
// expect race: store @{get} load @{load}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(8, &win);
  for (int i = 0; i < 4; ++i) memory[4 + i] = i;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    int values[4] = {1, 2, 3, 4}, got[4] = {};
    const std::function<void(int)> update = [&values](int i) {
      values[i] *= 2; /*{store}*/
    };
    MPI_Put(values, 4, MPI_INT, 1, 0, 4, MPI_INT, win); /*{put}*/
    MPI_Get(got, 4, MPI_INT, 1, 4, 4, MPI_INT, win);    /*{get}*/
#ifdef FIXED
    MPI_Win_flush(1, win);
#endif
    std::vector<int> order = {3, 1};
    std::for_each(order.begin(), order.end(), update);
    const auto large = std::count_if(order.begin(), order.end(), [&](int i) {
      return got[i] > 0; /*{load}*/
    });
    MPI_Win_flush(1, win);
    printf("counted %d\n", static_cast<int>(large));
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
