// System calls of a process: before MPI_Init, between MPI calls, and after MPI_Finalize.
// run: ranks=3 groups=0;0-2 exit=nonzero
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  struct timespec early;
  clock_gettime(CLOCK_REALTIME, &early);
  srand((unsigned)(time(NULL) ^ early.tv_nsec));
  const int seeded = rand();
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  struct timeval now;
  unsigned long bits = 0;
  gettimeofday(&now, NULL);
  if (getrandom(&bits, sizeof bits, 0) != sizeof bits) return 1;
  int steps = 0;
  for (const double start = MPI_Wtime(); MPI_Wtime() < start + 1e-4;) ++steps;
  printf(
      "rank %d, process %d: %d, %ld.%06ld, %lx, %d steps, %s, stack %p, heap %p\n", rank,
      (int)getpid(), seeded, (long)now.tv_sec, (long)now.tv_usec, bits, steps,
      getenv("OMPI_COMM_WORLD_RANK") != NULL || getenv("PMI_RANK") != NULL ? "launched" : "alone",
      (void*)&steps, (void*)argv);
  MPI_Finalize();
  clock_gettime(CLOCK_MONOTONIC, &early);
  printf("end at %ld.%09ld\n", (long)early.tv_sec, early.tv_nsec);
  if (rank != 1) return 0;
  fflush(stdout);
  usleep(300000);  // after a failure the launcher ends ranks that have not returned yet
  return 3;
}
