// Two PEs that can never go on (argv[1] is "message" or "set"), or that only look like it ("flag"):
// those take some seconds, print "done" and end well.
#include <mpi.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const unsigned kPatience = 4;  // seconds: longer than --deadlock-timeout
static long flag, work[SHMEM_BARRIER_SYNC_SIZE];

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  shmem_init();
  const int me = shmem_my_pe();
  for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; ++i) work[i] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  if (strcmp(way, "flag") == 0) {
    if (me == 0) {
      shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    } else {
      sleep(kPatience);
      shmem_long_p(&flag, 1, 0);
    }
  } else if (me == 0) {
    MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (strcmp(way, "set") == 0) {
    shmem_sync(0, 0, 2, work);
  }
  shmem_barrier_all();
  if (me == 0) printf("done\n");
  shmem_finalize();
}
