// Every blocking collective: the bytes that each rank sends and receives, by rank where the counts
// differ.
#include "check.h"
// run: ranks=3
// output: collectives right
// expect rank all: MPI_Barrier comm=MPI_COMM_WORLD !reads=* !writes=*
// expect rank 1: MPI_Bcast root=1 reads=*+8(2xMPI_INT) !writes=*
// expect rank 0,2: MPI_Bcast root=1 writes=*+8(2xMPI_INT) !reads=*
// expect rank 2: MPI_Gather root=2 reads=*+8(2xMPI_INT) writes=*+24(6xMPI_INT)
// expect rank 0,1: MPI_Gather root=2 reads=*+8(2xMPI_INT) !writes=*
// expect rank 0: MPI_Gatherv root=0 reads=*+4(1xMPI_INT) writes=$v+4(1xMPI_INT) writes=${v+8}+8(2xMPI_INT) writes=${v+20}+12(3xMPI_INT)
// expect rank 2: MPI_Gatherv root=0 reads=*+12(3xMPI_INT) !writes=*
// expect rank 0: MPI_Scatter root=0 reads=*+24(6xMPI_INT) writes=*+8(2xMPI_INT)
// expect rank 1,2: MPI_Scatter root=0 writes=*+8(2xMPI_INT) !reads=*
// expect rank 1: MPI_Scatterv root=1 reads=$s+4(1xMPI_INT) reads=${s+8}+8(2xMPI_INT) reads=${s+20}+12(3xMPI_INT) writes=*+8(2xMPI_INT)
// expect rank 0: MPI_Scatterv root=1 writes=*+4(1xMPI_INT) !reads=*
// expect rank all: MPI_Allgather reads=*+4(1xMPI_INT) writes=*+12(3xMPI_INT)
// expect rank 2: MPI_Allgatherv reads=*+12(3xMPI_INT) writes=$w+4(1xMPI_INT) writes=${w+8}+8(2xMPI_INT) writes=${w+20}+12(3xMPI_INT)
// expect rank all: MPI_Alltoall reads=*+12(3xMPI_INT) writes=*+12(3xMPI_INT)
// expect rank 1: MPI_Alltoallv reads=$o+8(2xMPI_INT) reads=${o+8}+8(2xMPI_INT) reads=${o+20}+8(2xMPI_INT) writes=$i+4(1xMPI_INT) writes=${i+8}+8(2xMPI_INT) writes=${i+20}+12(3xMPI_INT)
// expect rank 0: MPI_Alltoallw reads=$p+4(1xMPI_INT) reads=${p+8}+8(1xMPI_DOUBLE) writes=$q+4(1xMPI_INT) writes=${q+8}+8(1xMPI_DOUBLE)
// expect rank 0: MPI_Reduce root=0 op=MPI_MAX reads=*+8(2xMPI_INT) writes=*+8(2xMPI_INT)
// expect rank 1: MPI_Reduce root=0 op=MPI_MAX reads=*+8(2xMPI_INT) !writes=*
// expect rank all: MPI_Allreduce op=MPI_SUM reads=*+8(2xMPI_INT) writes=*+8(2xMPI_INT)
// expect rank 2: MPI_Reduce_scatter op=MPI_SUM reads=*+24(6xMPI_INT) writes=*+12(3xMPI_INT)
// expect rank all: MPI_Reduce_scatter_block op=MPI_SUM reads=*+24(6xMPI_INT) writes=*+8(2xMPI_INT)
// expect rank all: MPI_Scan op=MPI_SUM reads=*+4(1xMPI_INT) writes=*+4(1xMPI_INT)
// expect rank all: MPI_Exscan op=MPI_SUM reads=*+4(1xMPI_INT)

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const MPI_Comm world = MPI_COMM_WORLD;
  int a[8] = {rank, rank, rank, rank, rank, rank, rank, rank}, b[8] = {0};
  const int counts[3] = {1, 2, 3}, displs[3] = {0, 2, 5};
  MPI_Barrier(world);
  MPI_Bcast(b, 2, MPI_INT, 1, world);
  MPI_Gather(a, 2, MPI_INT, b, 2, MPI_INT, 2, world);
  if (rank == 2) CHECK(b[1] == 0 && b[3] == 1 && b[5] == 2);
  MPI_Gatherv(a, rank + 1, MPI_INT, b, counts, displs, MPI_INT, 0, world);
  if (rank == 0) CHECK(b[0] == 0 && b[3] == 1 && b[7] == 2);
  MPI_Scatter(a, 2, MPI_INT, b, 2, MPI_INT, 0, world);
  MPI_Scatterv(a, counts, displs, MPI_INT, b, rank + 1, MPI_INT, 1, world);
  CHECK(b[0] == 1);
  MPI_Allgather(&rank, 1, MPI_INT, b, 1, MPI_INT, world);
  CHECK(b[0] == 0 && b[1] == 1 && b[2] == 2);
  MPI_Allgatherv(a, rank + 1, MPI_INT, b, counts, displs, MPI_INT, world);
  MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, world);
  CHECK(b[2] == 2);
  const int each[3] = {rank + 1, rank + 1, rank + 1};
  MPI_Alltoallv(a, each, displs, MPI_INT, b, counts, displs, MPI_INT, world);
  CHECK(b[7] == 2);

  // Rank 0 copies an int and swaps a double with rank 1; rank 2 sends and receives nothing.
  struct {
    int i;
    double d;
  } out = {rank, rank + 0.5}, in = {-1, -1};
  int some[3] = {rank == 0, rank < 2 ? rank == 0 : 0, 0}, offsets[3] = {0, 8, 0};
  MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_INT};
  if (rank == 1) some[0] = 1, types[0] = MPI_DOUBLE, offsets[0] = 8;
  MPI_Alltoallw(&out, some, offsets, types, &in, some, offsets, types, world);
  if (rank < 2) CHECK(in.d == 1 - rank + 0.5);

  MPI_Reduce(a, b, 2, MPI_INT, MPI_MAX, 0, world);
  if (rank == 0) CHECK(b[1] == 2);
  MPI_Allreduce(a, b, 2, MPI_INT, MPI_SUM, world);
  CHECK(b[1] == 3);
  MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, world);
  MPI_Reduce_scatter_block(a, b, 2, MPI_INT, MPI_SUM, world);
  CHECK(b[0] == 3);
  MPI_Scan(a, b, 1, MPI_INT, MPI_SUM, world);
  CHECK(b[0] == rank * (rank + 1) / 2);
  MPI_Exscan(a, b, 1, MPI_INT, MPI_SUM, world);
  if (rank > 0) CHECK(b[0] == rank * (rank - 1) / 2);
  if (rank == 0) printf("collectives right\n");
  MPI_Finalize();
}
