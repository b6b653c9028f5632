// UPC-Thrille's `knapsack`: the ranks fill the table of the dynamic program. The last one
// writes the best value and its weight to shared variables, and rank 0 checks them
// without waiting. If it reads before they are written, its check fails. Fixed: a barrier
// between.
#include "window.h"
// run: ranks=3
// output: value 24, weight 12: correct
// expect confirmed, harmful: put @{value} load @{read-value}
// expect confirmed, harmful: put @{weight} load @{read-weight}
enum { kItems = 6, kCapacity = 12, kValue = 0, kWeight = 16 };

static const int values[kItems] = {4, 9, 11, 3, 9, 12}, weights[kItems] = {3, 4, 6, 2, 5, 6};

// The best value of the first `items` with this capacity; stores its weight in `used`.
static int best(int items, int capacity, int* used) {
  *used = 0;
  if (items == 0) return 0;
  int without_used, with_used;
  const int without = best(items - 1, capacity, &without_used);
  *used = without_used;
  if (weights[items - 1] > capacity) return without;
  const int with = best(items - 1, capacity - weights[items - 1], &with_used) + values[items - 1];
  if (with <= without) return without;
  *used = with_used + weights[items - 1];
  return with;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* shared = int_window(32, &win);
  MPI_Win_lock_all(0, win);
  if (rank == size - 1) {
    int used;
    const int value = best(kItems, kCapacity, &used);
    MPI_Put(&value, 1, MPI_INT, 0, kValue, 1, MPI_INT, win); /*{value}*/
    MPI_Put(&used, 1, MPI_INT, 0, kWeight, 1, MPI_INT, win); /*{weight}*/
    MPI_Win_flush(0, win);
  }
#ifdef FIXED
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  if (rank == 0) {
    int used;
    const int wanted = best(kItems, kCapacity, &used);
    MPI_Win_sync(win);
    const int value = shared[kValue];   /*{read-value}*/
    const int weight = shared[kWeight]; /*{read-weight}*/
    printf("value %d, weight %d: %s\n", value, weight,
           value == wanted && weight == used ? "correct" : "WRONG");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
