// MPI messages and OpenSHMEM in one program.
// run: ranks=3 groups=1;0,1
#include <mpi.h>
#include <shmem.h>
#include <stdio.h>

static long slot[4];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  int rank, token = me * 3;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  shmem_barrier_all();
  shmem_long_p(&slot[me], 10 + me, (me + 1) % pes);
  MPI_Status status;
  MPI_Send(&token, 1, MPI_INT, (me + 1) % pes, 5, MPI_COMM_WORLD);
  MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
  shmem_barrier_all();
  printf("PE %d, rank %d: %d from %d, %ld\n", me, rank, token, status.MPI_SOURCE,
         slot[(me + pes - 1) % pes]);
  shmem_finalize();  // Open MPI ends MPI, too
  return 0;
}
