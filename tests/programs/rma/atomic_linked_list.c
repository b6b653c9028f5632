// A lock-free list: all ranks push nodes with compare_and_swap, and the nodes are in rank 0's
// memory. The contents of a node are put before it is pushed, and read with a get by ranks that
// find it. The bug: the put is flushed after the node was pushed. Fixed: before.
#include "rma.h"
// run: ranks=4
// output: 8 nodes, sum 36
// expect race: put @{put} get @{get}
enum {
  kHead = 0,
  kNodes = 2,
  kEach = 2
};  // node n: its value at 2n, the next node at 2n + 1; 0 is the end

static MPI_Win win;

static int atomic_read(int place) {
  int value;
  MPI_Fetch_and_op(NULL, &value, MPI_INT, 0, place, MPI_NO_OP, win);
  MPI_Win_flush_local(0, win);
  return LOAD(value);
}

static void push(int node, const int* value) {
  int head = atomic_read(kHead), found;
  MPI_Put(value, 1, MPI_INT, 0, 2 * node, 1, MPI_INT, win); /*{put}*/
  for (;; head = found) {
    MPI_Accumulate(&head, 1, MPI_INT, 0, 2 * node + 1, 1, MPI_INT, MPI_REPLACE, win);
#ifdef FIXED
    MPI_Win_flush(0, win);
#endif
    MPI_Compare_and_swap(&node, &head, &found, MPI_INT, 0, kHead, win);
    MPI_Win_flush_local(0, win);  // sufficient for the results and for the buffers
    if (LOAD(found) == head) break;
  }
  MPI_Win_flush(0, win);
}

static int traverse(int* sum) {
  int count = 0, value;
  *sum = 0;
  for (int node = atomic_read(kHead); node != 0; node = atomic_read(2 * node + 1)) {
    MPI_Get(&value, 1, MPI_INT, 0, 2 * node, 1, MPI_INT, win); /*{get}*/
    MPI_Win_flush_local(0, win);
    *sum += LOAD(value);
    ++count;
  }
  return count;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int_window(2 * (1 + 4 * kEach), &win);
  int values[kEach], sum;
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < kEach; ++i) {
    const int node = 1 + rank * kEach + i;
    values[i] = node;
    push(node, &values[i]);
  }
  CHECK(traverse(&sum) <= size * kEach);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    const int count = traverse(&sum);
    printf("%d nodes, sum %d\n", count, sum);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
