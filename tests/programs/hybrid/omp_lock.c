// Correct: a buffer is handed over under a lock, with a flag that says so.
#include <omp.h>
#include <sched.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: 120
// expect no race
static int values[16], ready, sum;

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  int mine[16];
  for (int i = 0; i < 16; ++i) mine[i] = i;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, 0, values, 16, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    omp_set_lock(&lock);
    ready = 1;
    omp_unset_lock(&lock);
  } else {
    for (int done = 0; !done;) {
      omp_set_lock(&lock);
      done = ready;
      omp_unset_lock(&lock);
      sched_yield();
    }
    for (int i = 0; i < 16; ++i) sum += values[i];
  }
  omp_destroy_lock(&lock);
  if (rank == 0) printf("%d\n", sum);
  MPI_Finalize();
  return 0;
}
