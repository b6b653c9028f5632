// Programs of several shapes, each long enough for a few exchanges of the tool: whatever fails in
// the tool, the program prints its sum and ends as it would alone.
//   shapes collectives|fences|locks|farm|threads|groups|abort ROUNDS
// Rank 0 and rank 1 race in `fences` and `locks`: both put to the same place of rank 2, in the
// first round.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, rounds;

static long collectives(void) {
  long sum = 0, all = 0;
  for (int i = 0; i < rounds; ++i) {
    long mine = rank + i;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    sum += all;
    if (i % 8 == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  return sum;
}

static long fences(void) {
  long* memory;
  MPI_Win win;
  MPI_Win_allocate(64 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memset(memory, 0, 64 * sizeof(long));
  long value = 7, sum = 0;
  MPI_Win_fence(0, win);
  for (int i = 0; i < rounds; ++i) {
    if (i == 0 && rank < 2) MPI_Put(&value, 1, MPI_LONG, 2, 63, 1, MPI_LONG, win);
    MPI_Put(&value, 1, MPI_LONG, (rank + 1) % size, rank, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    sum += memory[(rank + size - 1) % size];
    MPI_Win_fence(0, win);
  }
  MPI_Win_free(&win);
  return sum;
}

static long locks(void) {
  long* memory;
  MPI_Win win;
  MPI_Win_allocate(64 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  long value = 7, got = 0, sum = 0;
  memset(memory, 0, 64 * sizeof(long));
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < rounds; ++i) {
    MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
    if (i == 0 && rank < 2) MPI_Put(&value, 1, MPI_LONG, 2, 63, 1, MPI_LONG, win);
    MPI_Put(&value, 1, MPI_LONG, 2, rank, 1, MPI_LONG, win);
    MPI_Win_flush(2, win);
    MPI_Get(&got, 1, MPI_LONG, 2, rank, 1, MPI_LONG, win);
    MPI_Win_unlock(2, win);
    sum += got;
    if (i % 16 == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_free(&win);
  return sum;
}

static long farm(void) {
  long sum = 0;
  for (int i = 0; i < rounds; ++i) {
    if (rank == 0) {
      for (int j = 1; j < size; ++j) {
        long got;
        MPI_Recv(&got, 1, MPI_LONG, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += got;
      }
    } else {
      MPI_Request request;
      long mine = rank * i;
      MPI_Isend(&mine, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Bcast(&sum, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  return sum;
}

static void* talk(void* number) {
  const long tag = (long)number;
  long sum = 0;
  for (int i = 0; i < rounds; ++i) {
    long mine = i, got = 0;
    MPI_Sendrecv(&mine, 1, MPI_LONG, (rank + 1) % size, (int)tag, &got, 1, MPI_LONG,
                 (rank + size - 1) % size, (int)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += got;
  }
  return (void*)sum;
}

static long threads(void) {
  pthread_t other;
  void* theirs;
  pthread_create(&other, NULL, talk, (void*)1L);
  const long own = (long)talk((void*)2L);
  pthread_join(other, &theirs);
  MPI_Barrier(MPI_COMM_WORLD);
  return own + (long)theirs;
}

static long groups(void) {
  long sum = 0, all = 0;
  for (int i = 0; i < rounds / 4 + 1; ++i) {
    MPI_Comm half, copy;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    long mine = rank + i;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, half);
    sum += all;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, copy);
    sum += all;
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
  }
  return sum;
}

int main(int argc, char** argv) {
  const char* shape = argv[1];
  int level;
  MPI_Init_thread(&argc, &argv,
                  strcmp(shape, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  rounds = atoi(argv[2]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  long sum = 0;
  if (!strcmp(shape, "collectives") || !strcmp(shape, "abort")) sum = collectives();
  if (!strcmp(shape, "fences")) sum = fences();
  if (!strcmp(shape, "locks")) sum = locks();
  if (!strcmp(shape, "farm")) sum = farm();
  if (!strcmp(shape, "threads")) sum = threads();
  if (!strcmp(shape, "groups")) sum = groups();
  printf("rank %d sum %ld\n", rank, sum);
  fflush(stdout);
  if (!strcmp(shape, "abort")) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 9);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
