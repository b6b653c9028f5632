// Four sections and two threads: the first two, which one thread runs, share a buffer. Which thread
// runs a section is not for the program to know. Fixed: each has its own.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static int values[16], mine[16], others[4];
static volatile int seen;
#ifdef FIXED
static int own[16];
#else
#define own values
#endif

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
#pragma omp parallel num_threads(2)
  {
#pragma omp sections
    {
#pragma omp section
      MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, 0, values, 16, MPI_INT, 1 - rank, 0, /*{receive}*/
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp section
      seen = own[3]; /*{read}*/
#pragma omp section
      others[2] = 1;
#pragma omp section
      others[3] = 1;
    }
    // Behind the sections, all know all of them.
    others[omp_get_thread_num()] = values[2];
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
