// Blocks of the heap in a dynamic window. Open MPI joins blocks that share a page and has room for
// 64 regions: that they lie side by side, as without the tool, decides whether all can be attached.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBlocks = 220, kBytes = 1000 };
static MPI_Win win;

// From another stack each time: something new for the tool to keep.
__attribute__((noinline)) static int attach(char* block, int depth, int failed) {
  volatile int result;
  if (depth > 0) {
    result = attach(block, depth - 1, failed);
    return result;
  }
  result = failed || MPI_Win_attach(win, block, kBytes) != MPI_SUCCESS;
  MPI_Barrier(MPI_COMM_WORLD);
  return result;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  static void* volatile used;
  int rank, failed = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  for (int i = 0; i < 4000; ++i) used = malloc(kBytes);  // what MPI_Init has freed is used up
  static char* blocks[kBlocks];
  for (int i = 0; i < kBlocks; ++i) failed = attach(blocks[i] = malloc(kBytes), i, failed);
  printf("rank %d %s\n", rank, failed ? "failed" : "attached all");
  if (failed) {  // detaching blocks that are not attached is an error
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 0; i < kBlocks; ++i) MPI_Win_detach(win, blocks[i]);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
