// UPC-Thrille's `psearch`: a tree search in which rank 0 hands out branches through a box in its
// memory. All ranks read the state of the box without a lock. These races happen but are harmless,
// because a thief reads it again under the lock. The branch is also written without a lock, but
// only while the box is empty, and read only while it is full: that race is predicted but cannot
// happen. Fixed: every rank takes the lock first.
#include "window.h"
// run: ranks=3
// output: 127 nodes
// expect confirmed: get @{look} store @{fill}
// expect confirmed: put @{empty} load @{wait}
// expect confirmed: get @{look} put @{empty}
// expect race: get @{check} store @{fill}
// expect race: put @{empty} store @{fill}
// expect not reproduced: get @{take} store @{branch}
enum { kState = 0, kBranch = 32, kEmpty = 0, kFull = 1, kNoMore = 2, kBranches = 8, kDepth = 3 };

static MPI_Win locks, boxes;
static volatile int* box;

static int nodes_below(int depth) { return depth == 0 ? 1 : 1 + 2 * nodes_below(depth - 1); }
// MPI may delay acquiring a lock until the first operation under it.
static void lock(void) {
  static int nothing;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, locks);
  MPI_Get(&nothing, 1, MPI_INT, 0, 0, 1, MPI_INT, locks);
  MPI_Win_flush(0, locks);
}
static void unlock(void) { MPI_Win_unlock(0, locks); }

static int is_empty(void) {
  int flag;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag,
             MPI_STATUS_IGNORE);  // drives progress of the other ranks
  MPI_Win_sync(boxes);
  return box[kState] == kEmpty; /*{wait}*/
}

static void hand_out(int branch, int state) {
#ifdef FIXED
  for (lock(); !is_empty(); lock()) {
    unlock();
    sched_yield();
  }
#else
  while (!is_empty()) sched_yield();
#endif
  box[kBranch] = branch; /*{branch}*/
  MPI_Win_sync(boxes);
  box[kState] = state; /*{fill}*/
  MPI_Win_sync(boxes);
#ifdef FIXED
  unlock();
#endif
}

// The number of nodes of a branch, 0 if there was none; stores the state of the box in `state`.
static int steal(int* state) {
  int branch = 0, nodes = 0;
#ifndef FIXED
  MPI_Get(state, 1, MPI_INT, 0, kState, 1, MPI_INT, boxes); /*{look}*/
  MPI_Win_flush(0, boxes);
  if (*state != kFull) return 0;
#endif
  lock();
  MPI_Get(state, 1, MPI_INT, 0, kState, 1, MPI_INT, boxes); /*{check}*/
  MPI_Win_flush(0, boxes);
  if (*state == kFull) {
    const int empty = kEmpty;
    MPI_Get(&branch, 1, MPI_INT, 0, kBranch, 1, MPI_INT, boxes); /*{take}*/
    MPI_Win_flush(0, boxes);
    nodes = nodes_below(kDepth);
    MPI_Put(&empty, 1, MPI_INT, 0, kState, 1, MPI_INT, boxes); /*{empty}*/
    MPI_Win_flush(0, boxes);
  }
  unlock();
  return nodes;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int_window(1, &locks);
  box = int_window(48, &boxes);
  MPI_Win_lock_all(0, boxes);
  int nodes = 0, all = 0;
  if (rank == 0) {
    nodes = kBranches - 1;
    for (int branch = 1; branch <= kBranches + 1; ++branch)
      hand_out(branch, branch <= kBranches ? kFull : kNoMore);
  } else {
    for (int state = kEmpty; state != kNoMore; sched_yield()) nodes += steal(&state);
  }
  MPI_Win_unlock_all(boxes);
  MPI_Reduce(&nodes, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d nodes\n", all);
  MPI_Win_free(&boxes);
  MPI_Win_free(&locks);
  MPI_Finalize();
}
