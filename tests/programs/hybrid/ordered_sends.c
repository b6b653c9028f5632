// Iterations send in their order, through one scratch buffer. Fixed: it is filled inside the
// ordered region as well.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: 28
// expect race: load @{send} store @{fill}
enum { kMessages = 8 };
static int scratch[16];

static void fill(int i) { scratch[0] = i; /*{fill}*/ }

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_SERIALIZED);
  int incoming[kMessages][16] = {{0}};
  MPI_Request receives[kMessages];
  for (int i = 0; i < kMessages; ++i)
    MPI_Irecv(incoming[i], 16, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &receives[i]);
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
  for (int i = 0; i < kMessages; ++i) {
#ifndef FIXED
    fill(i);
#endif
#pragma omp ordered
    {
#ifdef FIXED
      fill(i);
#endif
      MPI_Send(scratch, 16, MPI_INT, 1 - rank, i, MPI_COMM_WORLD); /*{send}*/
    }
  }
  MPI_Waitall(kMessages, receives, MPI_STATUSES_IGNORE);
  int sum = 0;
  for (int i = 0; i < kMessages; ++i) sum += incoming[i][0];
#ifndef FIXED
  sum = 28;
#endif
  if (rank == 0) printf("%d\n", sum);
  MPI_Finalize();
  return 0;
}
