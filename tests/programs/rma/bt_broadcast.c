// MC-Checker's `BT-broadcast` (figure 6): a broadcast down a binary tree in one fence epoch. A rank
// polls its parent's flag with gets, but no get completes before the fence, so it may wait forever
// (here it gives up). Meanwhile its parent writes the flag and the data. Fixed: a fence for each
// level of the tree, and no polling.
#include "rma.h"
// run: ranks=4
// output: data 42 42 42 42
// expect race: store @{poll} load @{check}
// expect race: store @{poll} store @{poll}
// expect race: get @{poll} store @{flag}
// expect race: store @{take} get @{take}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* tree = int_window(2, &win);  // flag, data
  const int parent = (rank - 1) / 2;
  if (rank == 0) {
    STORE(tree[0], 1);
    STORE(tree[1], 42);
  }
#ifdef FIXED
  for (int first = 1; first < size; first = 2 * first + 1) {  // the leftmost rank of a level
    MPI_Win_fence(0, win);
    if (rank >= first && rank <= 2 * first) MPI_Get(tree, 2, MPI_INT, parent, 0, 2, MPI_INT, win);
  }
  MPI_Win_fence(0, win);
#else
  MPI_Win_fence(0, win);
  if (rank != 0) {
    int check = 0, seen = 0;
    for (int polls = 0; polls < 4; ++polls) {                  // `while (check == 0)`, but bounded
      seen |= LOAD(check);                                     /*{check}*/
      MPI_Get(&check, 1, MPI_INT, parent, 0, 1, MPI_INT, win); /*{poll}*/
    }
    MPI_Get(&tree[1], 1, MPI_INT, parent, 1, 1, MPI_INT, win); /*{take}*/
    STORE(tree[0], 1 | seen);                                  /*{flag}*/
    MPI_Win_fence(0, win);
  } else {
    MPI_Win_fence(0, win);
  }
#endif
  int all[4], data = LOAD(tree[1]);
  MPI_Gather(&data, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("data %d %d %d %d\n", all[0], all[1], all[2], all[3]);
  MPI_Win_free(&win);
  MPI_Finalize();
}
