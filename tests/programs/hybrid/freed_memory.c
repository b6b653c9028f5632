// Threads receive into memory that they allocate and free. The next thread gets the same addresses,
// without synchronization: different objects, so no race, whether the memory is from malloc, mmap
// or MPI_Alloc_mem. Buggy: one block that no thread frees is also used by all.
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hybrid.h"
// run: ranks=2
// output: done
// expect race: load @{send} store @{kept}

enum { kThreads = 3, kInts = 1000, kBytes = 1 << 20 };
#ifndef FIXED
static int kept[50];
#endif

static void receive(int* block, int tag) {
  MPI_Recv(block, kInts, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void* work(void* argument) {
  const int number = (int)(long)argument;
  usleep(20000 * number);
  int* block = malloc(kBytes);  // mapped by libc, and unmapped
  block[1] = number;
  receive(block, number);
  free(block);
  block = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  block[1] = number;
  receive(block, number);
  munmap(block, kBytes);
  MPI_Alloc_mem(kBytes, MPI_INFO_NULL, &block);
  receive(block, number);
  MPI_Free_mem(block);
  block = malloc(200);  // from the arena that all threads share
#ifndef FIXED
  free(block);
  block = kept;
#endif
  block[2] = number;                                                   /*{kept}*/
  MPI_Send(block, 50, MPI_INT, 1 - rank, 10 + number, MPI_COMM_WORLD); /*{send}*/
#ifdef FIXED
  free(block);
#endif
  return NULL;
}

int main(int argc, char** argv) {
  mallopt(M_ARENA_MAX, 1);
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  static int out[kInts], in[50];
  MPI_Request requests[3 * kThreads];
  for (int i = 0; i < 3 * kThreads; ++i)
    MPI_Isend(out, kInts, MPI_INT, 1 - rank, i % kThreads, MPI_COMM_WORLD, &requests[i]);
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  for (int i = 0; i < kThreads; ++i) {
    MPI_Recv(in, 50, MPI_INT, 1 - rank, 10 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_join(threads[i], NULL);
  }
  MPI_Waitall(3 * kThreads, requests, MPI_STATUSES_IGNORE);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
}
