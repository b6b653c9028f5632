// Blocks of all sizes are allocated and freed between MPI calls, and MPI allocates as well; the
// control flow of the program depends on their addresses.
// run: ranks=4 groups=0;1,3;0-3
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBlocks = 200 };

static int by_address(const void* a, const void* b) {
  const uintptr_t first = (uintptr_t)*(char* const*)a, second = (uintptr_t)*(char* const*)b;
  return first < second ? -1 : first > second;
}

int main(int argc, char** argv) {
  void* early = malloc(100);
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char* blocks[kBlocks] = {0};
  uint64_t random = 1 + rank, hash = (uintptr_t)early;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 300; ++i) {
      random = random * 6364136223846793005ull + 1442695040888963407ull;
      char** block = &blocks[(random >> 40) % kBlocks];
      const size_t bytes = 1 + (random >> 20) % ((random >> 60) == 0 ? 3000000 : 2000);
      switch ((random >> 50) % 5) {
        case 0:
          free(*block);
          *block = NULL;
          break;
        case 1:
          free(*block);
          *block = malloc(bytes);
          memset(*block, round, bytes);
          break;
        case 2: {
          free(*block);
          *block = calloc(bytes, 1);
          for (size_t at = 0; at < bytes; ++at)
            if ((*block)[at] != 0) MPI_Abort(MPI_COMM_WORLD, 3);
          break;
        }
        case 3: {
          const char first = *block != NULL ? **block : 0;
          *block = realloc(*block, bytes);
          if (first != 0 && **block != first) MPI_Abort(MPI_COMM_WORLD, 4);
          break;
        }
        default: {
          free(*block);
          void* aligned = NULL;
          if (posix_memalign(&aligned, 256, bytes) != 0 || (uintptr_t)aligned % 256 != 0)
            MPI_Abort(MPI_COMM_WORLD, 5);
          *block = aligned;
          **block = 1;
        }
      }
    }
    // A message of a different size each time, so that MPI allocates, too.
    int from = rank;
    char* message = malloc(5000 * (round + 1));
    memset(message, rank, 5000 * (round + 1));
    MPI_Request request;
    MPI_Irecv(&from, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % ranks, round, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast(message, 5000 * (round + 1), MPI_CHAR, round % ranks, MPI_COMM_WORLD);
    hash += message[17] + from;
    free(message);
    char* sorted[kBlocks];
    memcpy(sorted, blocks, sizeof blocks);
    qsort(sorted, kBlocks, sizeof *sorted, by_address);
    for (int i = 0; i < kBlocks; ++i) hash = (hash ^ (uintptr_t)sorted[i]) * 0x100000001b3ull;
  }
  printf("rank %d: %p %p %016llx\n", rank, early, (void*)blocks[7], (unsigned long long)hash);
  for (int i = 0; i < kBlocks; ++i) free(blocks[i]);
  free(early);
  MPI_Finalize();
  return 0;
}
