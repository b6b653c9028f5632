// Very many requests outstanding at once: rank 0 posts COUNT receives, then the others send as many
// together, then all wait for all of theirs. Each rank prints by how many bytes its resident memory
// grew for each request.
//
//   outstanding COUNT named|wild [reverse]
//
// named: each receive names its source, and one of 64 tags. wild: from any source. reverse: rank 0
// waits for its receives one by one, the last first.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long resident_kb(void) {
  FILE* file = fopen("/proc/self/status", "r");
  char line[256];
  long kb = 0;
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, "VmRSS:", 6) == 0) kb = atol(line + 6);
  if (file != NULL) fclose(file);
  return kb;
}

int main(int argc, char** argv) {
  const int count = atoi(argv[1]);
  const int wild = strcmp(argv[2], "wild") == 0,
            reverse = argc > 3 && strcmp(argv[3], "reverse") == 0;
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int own = rank == 0 ? count : count / (ranks - 1);
  MPI_Request* requests = malloc(sizeof *requests * (size_t)count);
  int* values = malloc(sizeof *values * (size_t)count);
  memset(requests, 1, sizeof *requests * (size_t)count);  // resident before anything is measured
  for (int i = 0; i < count; ++i) values[i] = i / (ranks - 1);
  const long before = resident_kb();
  if (rank == 0)
    for (int i = 0; i < count; ++i)
      MPI_Irecv(&values[i], 1, MPI_INT, wild ? MPI_ANY_SOURCE : 1 + i % (ranks - 1),
                wild ? 0 : i / (ranks - 1) % 64, MPI_COMM_WORLD, &requests[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0)
    for (int i = 0; i < own; ++i)
      MPI_Isend(&values[i * (ranks - 1)], 1, MPI_INT, 0, wild ? 0 : i % 64, MPI_COMM_WORLD,
                &requests[i]);
  printf("rank %d: %ld bytes each\n", rank, (resident_kb() - before) * 1024 / own);
  if (reverse && rank == 0)
    for (int i = own; i-- > 0;) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  else
    MPI_Waitall(own, requests, MPI_STATUSES_IGNORE);
  long sum = 0;
  for (int i = 0; i < own; ++i) sum += values[i];
  if (rank == 0) printf("sum %ld\n", sum);
  free(requests);
  free(values);
  MPI_Finalize();
  return 0;
}
