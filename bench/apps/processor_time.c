// For bench/apps/run --pass --processor-time, linked into each program: the clock of the main loop
// is the processor time of the rank. On a busy machine, elapsed time is not meaningful.
#include <time.h>

double MPI_Wtime(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double mpi_wtime_(void) { return MPI_Wtime(); }
