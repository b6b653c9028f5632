// Threads probe for a message each and receive what they found, both into one buffer. Fixed: each
// into its own.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: store @{receive} store @{receive}
static int buffers[2][16];

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  int mine[16] = {0};
  MPI_Request sends[2];
  for (int tag = 0; tag < 2; ++tag)
    MPI_Isend(mine, 16, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &sends[tag]);
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
#ifdef FIXED
    int* const target = buffers[me];
#else
    int* const target = buffers[0];
#endif
    MPI_Message message;
    MPI_Status status;
    int count;
    MPI_Mprobe(1 - rank, me, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Mrecv(target, count, MPI_INT, &message, &status); /*{receive}*/
  }
  MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
