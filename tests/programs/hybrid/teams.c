// Two teams fill an array. The first one sends it. Fixed: it is sent behind the teams region.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: load @{send} store @{fill}
static int values[64];

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  if (rank == 0) {
#pragma omp teams num_teams(2) thread_limit(1)
    {
#pragma omp distribute dist_schedule(static)
      for (int i = 0; i < 64; ++i) values[i] = i; /*{fill}*/
#ifndef FIXED
      if (omp_get_team_num() == 0) MPI_Send(values, 64, MPI_INT, 1, 0, MPI_COMM_WORLD); /*{send}*/
#endif
    }
#ifdef FIXED
    MPI_Send(values, 64, MPI_INT, 1, 0, MPI_COMM_WORLD);
#endif
    printf("done\n");
  } else {
    MPI_Recv(values, 64, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
