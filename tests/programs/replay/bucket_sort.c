// Keys that differ in every run, sorted by all ranks.
// run: ranks=8 groups=0;7;2,5;0-3
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kKeys = 5000 };

static int ascending(const void* a, const void* b) {
  const int x = *(const int*)a, y = *(const int*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int* keys = malloc(sizeof(int) * kKeys);
  int* sorted = malloc(sizeof(int) * kKeys);
  int *counts = calloc((size_t)ranks, sizeof(int)), *displs = calloc((size_t)ranks, sizeof(int)),
      *in_counts = calloc((size_t)ranks, sizeof(int)),
      *in_displs = calloc((size_t)ranks, sizeof(int));
  srand((unsigned)((long)(MPI_Wtime() * 1e6) + rank * 77));
  for (int i = 0; i < kKeys; ++i) keys[i] = rand() % 100000;
  const int width = 100000 / ranks + 1;
  for (int i = 0; i < kKeys; ++i) ++counts[keys[i] / width];
  for (int i = 1; i < ranks; ++i) displs[i] = displs[i - 1] + counts[i - 1];
  int* next = malloc(sizeof(int) * (size_t)ranks);
  for (int i = 0; i < ranks; ++i) next[i] = displs[i];
  for (int i = 0; i < kKeys; ++i) sorted[next[keys[i] / width]++] = keys[i];
  MPI_Alltoall(counts, 1, MPI_INT, in_counts, 1, MPI_INT, MPI_COMM_WORLD);
  int total = in_counts[0];
  for (int i = 1; i < ranks; ++i)
    in_displs[i] = in_displs[i - 1] + in_counts[i - 1], total += in_counts[i];
  int* mine = malloc(sizeof(int) * (size_t)(total + 1));
  MPI_Alltoallv(sorted, counts, displs, MPI_INT, mine, in_counts, in_displs, MPI_INT,
                MPI_COMM_WORLD);
  qsort(mine, (size_t)total, sizeof(int), ascending);
  long all = 0, here = total;
  MPI_Reduce(&here, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  unsigned long hash = 0;
  for (int i = 0; i < total; ++i) hash = hash * 31 + (unsigned)mine[i];
  printf("rank %d: %d keys of %ld, %lx\n", rank, total, all, hash);
  free(keys), free(sorted), free(counts), free(displs), free(in_counts), free(in_displs),
      free(next), free(mine);
  MPI_Finalize();
  return 0;
}
