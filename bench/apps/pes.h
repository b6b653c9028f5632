// Shared by the OpenSHMEM applications: as app.h for those that use MPI.
#pragma once
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static int me, pes;

static inline void start(void) {
#ifdef _OPENMP
  int provided;
  shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided);
#else
  shmem_init();
#endif
  me = shmem_my_pe();
  pes = shmem_n_pes();
}

static inline int argument(int argc, char** argv, int index, int otherwise) {
  return argc > index ? atoi(argv[index]) : otherwise;
}

static inline long share_begin(long total, int pe) { return total * pe / pes; }

// splitmix64: a random number for each counter, so that results do not depend on the number of PEs.
static inline uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Zero on all PEs when it returns.
static inline void* zeros(size_t bytes) {
  void* memory = shmem_malloc(bytes);
  if (memory == NULL) {
    fprintf(stderr, "the symmetric heap is too small: set SHMEM_SYMMETRIC_SIZE\n");
    shmem_global_exit(1);
  }
  memset(memory, 0, bytes);
  shmem_barrier_all();
  return memory;
}

static inline double synchronized_time(void) {
  struct timespec now;
  shmem_barrier_all();
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Finalizes OpenSHMEM. Each PE prints its memory peak last.
static inline int finish(double seconds, uint64_t part_of_checksum) {
  unsigned long* checksum = zeros(sizeof *checksum);
  shmem_ulong_atomic_add(checksum, part_of_checksum, 0);
  shmem_barrier_all();
  if (me == 0) printf("seconds %.6f\nchecksum %016lx\n", seconds, *checksum);
  fflush(stdout);
  shmem_finalize();
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("rss_kb %ld\n", usage.ru_maxrss);
  return 0;
}
