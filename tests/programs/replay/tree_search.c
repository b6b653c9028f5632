// A search of an unbalanced tree by all ranks: an idle rank takes work from another one's stack
// with one-sided operations. The stacks are in windows; their owners load and store them under
// their own locks.
// run: ranks=4 groups=0;3;0,2;0-3
// build: pass=only
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kDepth = 9, kStack = 4096, kTop = 0, kFirst = 8 };

static int g_rank, g_ranks;
static long* g_stack;
static MPI_Win g_win, g_left_win;

static long children(long node) { return (node * 2654435761ul >> 13) % 4; }

static long pop(void) {
  long node = -1;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, g_rank, 0, g_win);
  if (g_stack[kTop] > 0) node = g_stack[kFirst + --g_stack[kTop]];
  MPI_Win_unlock(g_rank, g_win);
  return node;
}

static void push(long node) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, g_rank, 0, g_win);
  if (g_stack[kTop] >= kStack) MPI_Abort(MPI_COMM_WORLD, 2);
  g_stack[kFirst + g_stack[kTop]++] = node;
  MPI_Win_unlock(g_rank, g_win);
}

static long steal(int victim) {
  long top = 0, node = -1;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, victim, 0, g_win);
  MPI_Get(&top, 1, MPI_LONG, victim, kTop, 1, MPI_LONG, g_win);
  MPI_Win_flush(victim, g_win);
  if (top > 1) {
    const long less = top - 1;
    MPI_Get(&node, 1, MPI_LONG, victim, kFirst + less, 1, MPI_LONG, g_win);
    MPI_Put(&less, 1, MPI_LONG, victim, kTop, 1, MPI_LONG, g_win);
  }
  MPI_Win_unlock(victim, g_win);
  return node;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g_ranks);
  long* left;
  MPI_Win_allocate((kStack + kFirst) * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &g_stack, &g_win);
  MPI_Win_allocate(8 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &left,
                   &g_left_win);
  g_stack[kTop] = 0;
  *left = 0;
  if (g_rank == 0) {
    for (long root = 1; root <= 40; ++root) g_stack[kFirst + g_stack[kTop]++] = root * 16;
    *left = 40;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, g_left_win);
  srand((unsigned)((long)(MPI_Wtime() * 1e6) + g_rank));
  long visited = 0, stolen = 0, trail = 0;
  for (;;) {
    long node = pop();
    if (node < 0) {
      const int victim = rand() % g_ranks;
      if (victim != g_rank) node = steal(victim);
      if (node >= 0) ++stolen;
    }
    if (node < 0) {
      long open = 0;
      const long nothing = 0;
      MPI_Fetch_and_op(&nothing, &open, MPI_LONG, 0, 0, MPI_NO_OP, g_left_win);
      MPI_Win_flush(0, g_left_win);
      if (open == 0) break;
      continue;
    }
    ++visited;
    trail = trail * 31 + node;
    long more = -1, before;
    if (node % 16 < kDepth)
      for (long i = children(node); i > 0; --i, ++more)
        push((node / 16 * 4 + i) * 16 + node % 16 + 1);
    MPI_Fetch_and_op(&more, &before, MPI_LONG, 0, 0, MPI_SUM, g_left_win);
    MPI_Win_flush(0, g_left_win);
  }
  MPI_Win_unlock_all(g_left_win);
  long all = 0;
  MPI_Allreduce(&visited, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d: %ld of %ld nodes, %ld stolen, trail %lx\n", g_rank, visited, all, stolen, trail);
  MPI_Win_free(&g_left_win);
  MPI_Win_free(&g_win);
  MPI_Finalize();
  return 0;
}
