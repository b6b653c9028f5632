// MPI_IN_PLACE: the rank's own block stays in the buffer and is read, or the whole buffer is both
// sent and received.
#include "check.h"
// run: ranks=3
// output: in place right
// expect rank 1: MPI_Gather root=1 writes=$g+8(2xMPI_INT) reads=${g+8}+8(2xMPI_INT) writes=${g+16}+8(2xMPI_INT)
// expect rank 0: MPI_Gather root=1 reads=*+8(2xMPI_INT) !writes=*
// expect rank 0: MPI_Gatherv root=0 reads=$h+4(1xMPI_INT) writes=${h+8}+8(2xMPI_INT) writes=${h+20}+12(3xMPI_INT)
// expect rank 2: MPI_Scatter root=2 reads=*+24(6xMPI_INT) !writes=*
// expect rank 2: MPI_Scatterv root=2 reads=$s+4(1xMPI_INT) reads=${s+8}+8(2xMPI_INT) reads=${s+20}+12(3xMPI_INT) !writes=*
// expect rank 0: MPI_Allgather reads=$a+4(1xMPI_INT) writes=${a+4}+8(2xMPI_INT)
// expect rank 1: MPI_Allgather writes=$a+4(1xMPI_INT) reads=${a+4}+4(1xMPI_INT) writes=${a+8}+4(1xMPI_INT)
// expect rank 2: MPI_Allgatherv writes=$v+4(1xMPI_INT) writes=${v+8}+8(2xMPI_INT) reads=${v+20}+12(3xMPI_INT)
// expect rank all: MPI_Alltoall updates=*+12(3xMPI_INT) !reads=* !writes=*
// expect rank 0: MPI_Alltoallv updates=$t+4(1xMPI_INT) updates=${t+8}+4(1xMPI_INT) updates=${t+16}+4(1xMPI_INT)
// expect rank 0: MPI_Reduce root=0 updates=*+4(1xMPI_INT) !reads=*
// expect rank 2: MPI_Reduce root=0 reads=*+4(1xMPI_INT) !writes=* !updates=*
// expect rank all: MPI_Allreduce updates=*+8(2xMPI_INT) !reads=* !writes=*
// expect rank all: MPI_Reduce_scatter updates=*+24(6xMPI_INT)
// expect rank all: MPI_Scan updates=*+4(1xMPI_INT)
// expect rank all: MPI_Exscan updates=*+4(1xMPI_INT)

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const MPI_Comm world = MPI_COMM_WORLD;
  int a[8] = {rank, rank, rank, rank, rank, rank, rank, rank};
  const int counts[3] = {1, 2, 3}, displs[3] = {0, 2, 5}, ones[3] = {1, 1, 1}, apart[3] = {0, 2, 4};
  MPI_Gather(rank == 1 ? MPI_IN_PLACE : a, 2, MPI_INT, rank == 1 ? a : NULL, 2, MPI_INT, 1, world);
  if (rank == 1) CHECK(a[1] == 0 && a[3] == 1 && a[5] == 2);
  MPI_Gatherv(rank == 0 ? MPI_IN_PLACE : a, rank + 1, MPI_INT, a, counts, displs, MPI_INT, 0,
              world);
  MPI_Scatter(a, 2, MPI_INT, rank == 2 ? MPI_IN_PLACE : a, 2, MPI_INT, 2, world);
  MPI_Scatterv(a, counts, displs, MPI_INT, rank == 2 ? MPI_IN_PLACE : a, rank + 1, MPI_INT, 2,
               world);
  for (int i = 0; i < 8; ++i) a[i] = rank;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, 1, MPI_INT, world);
  CHECK(a[0] == 0 && a[1] == 1 && a[2] == 2);
  for (int i = 0; i < 8; ++i) a[i] = rank;
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, counts, displs, MPI_INT, world);
  CHECK(a[0] == 0 && a[3] == 1 && a[7] == 2);
  for (int i = 0; i < 8; ++i) a[i] = rank;
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, 1, MPI_INT, world);
  CHECK(a[0] == 0 && a[1] == 1 && a[2] == 2);
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, a, ones, apart, MPI_INT, world);
  a[0] = rank;
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : a, rank == 0 ? a : NULL, 1, MPI_INT, MPI_SUM, 0, world);
  if (rank == 0) CHECK(a[0] == 3);
  for (int i = 0; i < 8; ++i) a[i] = 1;
  MPI_Allreduce(MPI_IN_PLACE, a, 2, MPI_INT, MPI_SUM, world);
  CHECK(a[1] == 3 && a[2] == 1);
  MPI_Reduce_scatter(MPI_IN_PLACE, a, counts, MPI_INT, MPI_SUM, world);
  a[0] = 1;
  MPI_Scan(MPI_IN_PLACE, a, 1, MPI_INT, MPI_SUM, world);
  CHECK(a[0] == rank + 1);
  MPI_Exscan(MPI_IN_PLACE, a, 1, MPI_INT, MPI_SUM, world);
  if (rank == 2) CHECK(a[0] == 3);
  if (rank == 0) printf("in place right\n");
  MPI_Finalize();
}
