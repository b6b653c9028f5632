// A call of MPI through three functions that end with a call: what it costs that each keeps its
// frame. Prints the processor time of a call in nanoseconds.
//   frames CALLS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

__attribute__((noinline)) int third(MPI_Comm comm, int* rank) { return MPI_Comm_rank(comm, rank); }
__attribute__((noinline)) int second(MPI_Comm comm, int* rank) { return third(comm, rank); }
__attribute__((noinline)) int first(MPI_Comm comm, int* rank) { return second(comm, rank); }

static double processor_seconds(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long calls = atol(argv[1]);
  int rank = 0;
  long sum = 0;
  const double start = processor_seconds();
  for (long i = 0; i < calls; ++i) {
    first(MPI_COMM_WORLD, &rank);
    sum += rank;
  }
  printf("ns %.3f sum %ld\n", 1e9 * (processor_seconds() - start) / (double)calls, sum);
  MPI_Finalize();
  return 0;
}
