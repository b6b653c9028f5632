// Each thread sends what it has filled, in a critical section of its own: that orders nothing but
// the calls. Fixed: the buffer is filled inside of it, too.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: load @{send} store @{store}
static int values[16], incoming[16];

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_SERIALIZED);
#pragma omp parallel num_threads(2)
  {
#ifndef FIXED
    if (omp_get_thread_num() == 1)
      for (int i = 0; i < 16; ++i) values[i] = i; /*{store}*/
#endif
    if (omp_get_thread_num() == 0) {
#pragma omp critical
      MPI_Sendrecv(values, 16, MPI_INT, 1 - rank, 0, incoming, 16, MPI_INT, 1 - rank, 0, /*{send}*/
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
#ifdef FIXED
    if (omp_get_thread_num() == 1) {
#pragma omp critical
      for (int i = 0; i < 16; ++i) values[i] = i;
    }
#endif
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
