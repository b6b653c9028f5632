// Shared by all applications: arguments, the timer of the main loop, and the output for
// bench/apps/run.
#pragma once
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { kLine = 64 };  // window sizes are multiples of it, so that no two objects share a cache line

static inline int argument(int argc, char** argv, int index, int otherwise) {
  return argc > index ? atoi(argv[index]) : otherwise;
}

// With OpenMP, threads of a rank share its work; the first of them calls MPI.
static inline void start(int* argc, char*** argv) {
#ifdef _OPENMP
  int provided;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
#else
  MPI_Init(argc, argv);
#endif
}

static inline size_t whole_lines(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

// The first element of `rank`'s share of `total`: constant work, divided by the ranks.
static inline long share_begin(long total, int rank, int ranks) { return total * rank / ranks; }

// splitmix64: a random number for each counter, so that results do not depend on the number of
// ranks.
static inline uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// The checksum of a part of a distributed array that begins with element `first`.
static inline uint64_t checksum_of(const double* values, long count, long first) {
  uint64_t checksum = 0, bits;
  for (long i = 0; i < count; ++i) {
    memcpy(&bits, &values[i], sizeof bits);
    checksum += mix(bits ^ mix(first + i));
  }
  return checksum;
}

static inline double synchronised_time(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

// For --confirm: a race after the measured part, so that a confirming run waits for it all the
// time.
static inline void race(void) {
#ifdef RACE
  int rank, one = 1, *memory;
  MPI_Win win;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(kLine, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(0, win);
  if (rank == 0) *memory = 2;
  if (rank == 1) MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
#endif
}

// Finalizes MPI. Each rank prints its memory peak last, so that it includes MPI_Finalize.
static inline int finish(double seconds, uint64_t part_of_checksum) {
  int rank;
  uint64_t checksum = 0;
  race();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Reduce(&part_of_checksum, &checksum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("seconds %.6f\nchecksum %016llx\n", seconds, (unsigned long long)checksum);
  fflush(stdout);
  MPI_Finalize();
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("rss_kb %ld\n", usage.ru_maxrss);
  return 0;
}
