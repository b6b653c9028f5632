// User-defined operations. MPI calls made by their callbacks are not events of the program.
#include "check.h"
// run: ranks=4
// output: largest 3, sum 10
// expect rank all: MPI_Op_create newop=$add
// expect rank all: MPI_Allreduce op=MPI_MAX
// expect rank 1: MPI_Scan op=$add reads=*+4(1xMPI_INT) writes=*+4(1xMPI_INT)
// expect rank all: MPI_Reduce_local op=$add reads=$in+4(1xMPI_INT) updates=$inout+4(1xMPI_INT)
// expect rank all: MPI_Op_free op=$add
// expect rank all: MPI_Op_create newop=$other
// expect rank all: MPI_Op_free op=$other
// expect not rank all: MPI_Type_dup
// expect not rank all: MPI_Type_free

static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
  MPI_Datatype same;
  MPI_Type_dup(*type, &same);
  MPI_Type_free(&same);
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, largest, digits, local = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Op op, other;
  MPI_Op_create(add, 0, &op);
  MPI_Allreduce(&rank, &largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  int digit = 4 - rank;
  MPI_Scan(&digit, &digits, 1, MPI_INT, op, MPI_COMM_WORLD);
  const int two = 2;
  MPI_Reduce_local(&two, &local, 1, MPI_INT, op);
  CHECK(local == 3);
  MPI_Op_free(&op);
  MPI_Op_create(add, 1, &other);
  MPI_Op_free(&other);
  if (rank == 3) printf("largest %d, sum %d\n", largest, digits);
  MPI_Finalize();
}
