// A rank sends something in a call that it never returns from: the other rank has received it, also
// in a replay.
// run: ranks=4 groups=0,1;0-3 exit=nonzero
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kWords = 200000 };

int main(int argc, char** argv) {
  static int out[kWords], in[kWords];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("rank %d begins\n", rank);
  fflush(stdout);
  for (int i = 0; i < kWords; ++i) out[i] = i * (rank + 7);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    long sum = 0;
    MPI_Recv(in, kWords, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < kWords; ++i) sum = 31 * sum + in[i];
    printf("%ld\n", sum);
    fflush(stdout);
    sleep(1);
    _exit(3);
  }
  if (rank == 0)
    MPI_Sendrecv(out, kWords, MPI_INT, 1, 1, in, kWords, MPI_INT, 1, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  else
    MPI_Barrier(MPI_COMM_WORLD);
  puts("not reached");
  MPI_Finalize();
  return 0;
}
