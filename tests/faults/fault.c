// Four ranks that put into each other's windows between fences and pass messages around a ring,
// step by step, until a fault ends them or so many steps are done.
//
//   fault HOW STEPS DIRECTORY [racy]
//
// HOW is what rank 1 does after a third of its steps: abort, segv, or nothing; memory: it takes all
// memory that its address space has room for, makes many calls, and frees it. racy: in the first
// step two ranks put to the same place. Each rank writes its pid to DIRECTORY/rank-N once it is a
// third through, which is where others may do something to it, and goes on until
// DIRECTORY/go-on is there. flood, flood-all: rank 0, or every rank, makes very many different
// calls from there on.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { kCalls = 100000, kCallsWithoutMemory = 5000 };

static int rank, ranks, right, left;

static void step(MPI_Win win, int number) {
  int value = number, got;
  MPI_Put(&value, 1, MPI_INT, right, rank % 8, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Sendrecv(&value, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Win_fence(0, win);
}

static int exists(const char* directory, const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return access(path, F_OK) == 0;
}

static void write_pid(const char* directory) {
  char path[4096], ready[4096];
  snprintf(path, sizeof path, "%s/.rank-%d", directory, rank);
  snprintf(ready, sizeof ready, "%s/rank-%d", directory, rank);
  FILE* const file = fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "%d\n", (int)getpid());
  fclose(file);
  rename(path, ready);
}

// Calls that all differ, with nobody else.
static void flood(int calls) {
  unsigned random = 1;
  int got;
  for (int i = 0; i < calls; ++i) {
    random = random * 1664525 + 1013904223;
    const int tag = (int)(random >> 18);
    MPI_Sendrecv(&i, 1, MPI_INT, rank, tag, &got, 1, MPI_INT, rank, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
}

static void without_memory(void) {
  flood(100);  // MPI allocates what it needs for messages to the rank itself
  struct rlimit before, none;
  getrlimit(RLIMIT_AS, &before);
  none = before;
  none.rlim_cur = 1 << 20;  // less than there is: no more pages
  setrlimit(RLIMIT_AS, &none);
  void* taken = NULL;
  long blocks = 0;
  for (size_t size = 1 << 16; size >= 64; size /= 2)
    for (void** block; (block = malloc(size)) != NULL; taken = block, ++blocks) *block = taken;
  flood(kCallsWithoutMemory);
  setrlimit(RLIMIT_AS, &before);
  for (void* next; taken != NULL; taken = next) {
    next = *(void**)taken;
    free(taken);
  }
  printf("rank %d had no memory, %ld blocks were taken\n", rank, blocks);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* const how = argv[1];
  const int steps = atoi(argv[2]), racy = argc > 4 && strcmp(argv[4], "racy") == 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  right = (rank + 1) % ranks;
  left = (rank + ranks - 1) % ranks;
  int *memory, value = rank;
  MPI_Win win;
  MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_fence(0, win);
  if (racy && rank < 2) MPI_Put(&value, 1, MPI_INT, 2, 7, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < steps / 3; ++i) step(win, i);
  write_pid(argv[3]);
  if (rank == 1 && strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  if (rank == 1 && strcmp(how, "segv") == 0) *(volatile int*)8 = 1;
  if ((rank == 0 && strcmp(how, "flood") == 0) || strcmp(how, "flood-all") == 0) {
    while (!exists(argv[3], "flood-now")) usleep(10000);
    flood(kCalls);
  }
  if (rank == 1 && strcmp(how, "memory") == 0) without_memory();
  for (int i = 0, on = 1; on; ++i) {
    step(win, i);
    if (rank == 0) on = i < steps || !exists(argv[3], "go-on");
    MPI_Bcast(&on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (i >= steps) usleep(20000);
  }
  MPI_Win_free(&win);
  if (rank == 0) printf("all steps done\n");
  MPI_Finalize();
  return 0;
}
