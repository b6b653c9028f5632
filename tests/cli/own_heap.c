// What the program gets from malloc. own_heap addresses: differences between blocks, among MPI
// calls. own_heap corrupt: what the allocator keeps in front of its blocks is overwritten, and MPI
// is called all the same.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;
static long buffer[4];

static void send(int to, int tag) { MPI_Send(buffer, 4, MPI_LONG, to, tag, MPI_COMM_WORLD); }
static void receive(int from, int tag) {
  long got[4];
  MPI_Recv(got, 4, MPI_LONG, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// No collective calls: the tool exchanges data in them, for which MPI allocates. Rank 0 waits for
// rank 1 at the end, so that at most 20 messages are unexpected.
static void calls(void) {
  long got[4];
  for (int i = 0; i < 20; ++i) {
    MPI_Request request;
    if (rank == 0) MPI_Isend(buffer, 4, MPI_LONG, 1, i, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Irecv(got, 4, MPI_LONG, 0, i, MPI_COMM_WORLD, &request);
    if (rank < 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank == 0) receive(1, 20);
  if (rank == 1) send(0, 20);
}

// MPI allocates 25 to 58 kB when messages arrive before their receive: here, and not in calls().
static void unexpected_messages(void) {
  for (int i = 0; rank == 0 && i < 40; ++i) send(1, i);
  for (int i = 39; rank == 1 && i >= 0; --i) receive(0, i);
}

int main(int argc, char** argv) {
  static const size_t kSizes[] = {24, 40, 72, 120, 200, 360, 1000, 5000};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  unexpected_messages();
  calls();
  if (!strcmp(argv[1], "addresses")) {
    char* last = NULL;
    char text[4096] = "";
    int length = 0;
    // What MPI_Init has freed is used up first: it differs from run to run.
    static void* volatile used;
    for (int i = 0; i < 16000; ++i) used = malloc(kSizes[i % 8]);
    for (int i = 0; i < 96; ++i) {
      if (i % 12 == 0) calls();
      char* block = malloc(kSizes[i % 8]);
      if (last != NULL && length < 4000)
        length += snprintf(text + length, sizeof text - length, " %ld", (long)(block - last));
      last = block;
    }
    if (rank == 1) printf("%s\n", text);
  } else {
    // What the next but one block of these sizes is taken from.
    for (size_t bytes = 400; bytes < 1000; bytes += 16) {
      size_t *first = malloc(bytes), *second = malloc(bytes);
      free(second);
      free(first);
      first[0] = 0x4141414141414140;
    }
    calls();
    MPI_Barrier(MPI_COMM_WORLD);
    // Both write to the same place.
    MPI_Win win;
    static long memory[8];
    MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(buffer, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    printf("rank %d done\n", rank);
    fflush(stdout);
  }
  MPI_Finalize();
  return 0;
}
