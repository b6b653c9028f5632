// Queries a window for the address of its memory, and loads from there, as libraries do that store
// only the window handle.
// run: ranks=3 groups=1;0-2
#include <mpi.h>
#include <stdio.h>

static void print(const char* name, MPI_Win win, const int* memory, int rank) {
  int* base = NULL;
  MPI_Aint* size = NULL;
  int found;
  MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &found);
  MPI_Win_get_attr(win, MPI_WIN_SIZE, &size, &found);
  printf("rank %d, %s: %s, %ld bytes, %d\n", rank, name, base == memory ? "there" : "elsewhere",
         (long)*size, base[3]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int *allocated, *shared;
  MPI_Win wins[2];
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &wins[0]);
  MPI_Win_allocate_shared(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &wins[1]);
  allocated[3] = 8;
  shared[3] = 9;
  print("allocated", wins[0], allocated, rank);
  print("shared", wins[1], shared, rank);
  for (int i = 0; i < 2; ++i) MPI_Win_free(&wins[i]);
  MPI_Finalize();
}
