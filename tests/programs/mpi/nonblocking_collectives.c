// Every nonblocking collective: each has a request, and one call completes all of them.
#include "check.h"
// run: ranks=3
// output: nonblocking right
// expect rank all: MPI_Ibarrier comm=MPI_COMM_WORLD request=1
// expect rank all: MPI_Wait requests=[1] done=[1]
// expect rank 1: MPI_Ibcast root=1 request=2 reads=*+4(1xMPI_INT)
// expect rank 2: MPI_Igather root=2 request=3 reads=*+4(1xMPI_INT) writes=*+12(3xMPI_INT)
// expect rank 0: MPI_Igatherv root=0 request=4 reads=*+4(1xMPI_INT) writes=$v+4(1xMPI_INT) writes=${v+8}+8(2xMPI_INT) writes=${v+20}+12(3xMPI_INT)
// expect rank 0: MPI_Iscatter root=0 request=5 reads=*+12(3xMPI_INT) writes=*+4(1xMPI_INT)
// expect rank 1: MPI_Iscatterv root=1 request=6 reads=$s+4(1xMPI_INT) reads=${s+8}+8(2xMPI_INT) reads=${s+20}+12(3xMPI_INT) writes=*+8(2xMPI_INT)
// expect rank all: MPI_Iallgather request=7 reads=*+4(1xMPI_INT) writes=*+12(3xMPI_INT)
// expect rank 2: MPI_Iallgatherv request=8 reads=*+12(3xMPI_INT) writes=*+4(1xMPI_INT) writes=*+8(2xMPI_INT) writes=*+12(3xMPI_INT)
// expect rank all: MPI_Ialltoall request=9 reads=*+12(3xMPI_INT) writes=*+12(3xMPI_INT)
// expect rank 1: MPI_Ialltoallv request=10 reads=*+8(2xMPI_INT) reads=*+8(2xMPI_INT) reads=*+8(2xMPI_INT) writes=$w+4(1xMPI_INT) writes=${w+8}+8(2xMPI_INT) writes=${w+20}+12(3xMPI_INT)
// expect rank all: MPI_Ialltoallw request=11 reads=$o+4(1xMPI_INT) reads=${o+4}+4(1xMPI_FLOAT) reads=${o+8}+4(4xMPI_CHAR) writes=*
// expect rank 0: MPI_Ireduce root=0 request=12 op=MPI_SUM reads=*+4(1xMPI_INT) writes=*+4(1xMPI_INT)
// expect rank all: MPI_Iallreduce request=13 op=MPI_SUM updates=*+4(1xMPI_INT)
// expect rank 1: MPI_Ireduce_scatter request=14 reads=*+24(6xMPI_INT) writes=*+8(2xMPI_INT)
// expect rank all: MPI_Ireduce_scatter_block request=15 reads=*+12(3xMPI_INT) writes=*+4(1xMPI_INT)
// expect rank all: MPI_Iscan request=16 reads=*+4(1xMPI_INT) writes=*+4(1xMPI_INT)
// expect rank all: MPI_Iexscan request=17 reads=*+4(1xMPI_INT)
// expect rank all: MPI_Waitall requests=[2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17] done=[2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17]

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const MPI_Comm world = MPI_COMM_WORLD;
  static int a[17][8], b[17][8];
  for (int i = 0; i < 17; ++i)
    for (int j = 0; j < 8; ++j) a[i][j] = rank;
  const int counts[3] = {1, 2, 3}, displs[3] = {0, 2, 5}, each[3] = {rank + 1, rank + 1, rank + 1};
  MPI_Request barrier, r[16];
  MPI_Ibarrier(world, &barrier);
  MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  MPI_Ibcast(a[0], 1, MPI_INT, 1, world, &r[0]);
  MPI_Igather(a[1], 1, MPI_INT, b[1], 1, MPI_INT, 2, world, &r[1]);
  MPI_Igatherv(a[2], rank + 1, MPI_INT, b[2], counts, displs, MPI_INT, 0, world, &r[2]);
  MPI_Iscatter(a[3], 1, MPI_INT, b[3], 1, MPI_INT, 0, world, &r[3]);
  MPI_Iscatterv(a[4], counts, displs, MPI_INT, b[4], rank + 1, MPI_INT, 1, world, &r[4]);
  MPI_Iallgather(a[5], 1, MPI_INT, b[5], 1, MPI_INT, world, &r[5]);
  MPI_Iallgatherv(a[6], rank + 1, MPI_INT, b[6], counts, displs, MPI_INT, world, &r[6]);
  MPI_Ialltoall(a[7], 1, MPI_INT, b[7], 1, MPI_INT, world, &r[7]);
  MPI_Ialltoallv(a[8], each, displs, MPI_INT, b[8], counts, displs, MPI_INT, world, &r[8]);
  // Each pair agrees on a type: rank 0 on int, rank 1 on float or int, and so on.
  const int out_counts[3] = {1, 1, 4}, offsets[3] = {0, 4, 8};
  const int in_counts[3] = {rank == 2 ? 4 : 1, rank == 2 ? 4 : 1, rank == 2 ? 4 : 1};
  const MPI_Datatype out_types[3] = {MPI_INT, MPI_FLOAT, MPI_CHAR};
  const MPI_Datatype in = rank == 0 ? MPI_INT : rank == 1 ? MPI_FLOAT : MPI_CHAR;
  const MPI_Datatype in_types[3] = {in, in, in};
  MPI_Ialltoallw(a[9], out_counts, offsets, out_types, b[9], in_counts, offsets, in_types, world,
                 &r[9]);
  MPI_Ireduce(a[10], b[10], 1, MPI_INT, MPI_SUM, 0, world, &r[10]);
  MPI_Iallreduce(MPI_IN_PLACE, a[11], 1, MPI_INT, MPI_SUM, world, &r[11]);
  MPI_Ireduce_scatter(a[12], b[12], counts, MPI_INT, MPI_SUM, world, &r[12]);
  MPI_Ireduce_scatter_block(a[13], b[13], 1, MPI_INT, MPI_SUM, world, &r[13]);
  MPI_Iscan(a[14], b[14], 1, MPI_INT, MPI_SUM, world, &r[14]);
  MPI_Iexscan(a[15], b[15], 1, MPI_INT, MPI_SUM, world, &r[15]);
  MPI_Waitall(16, r, MPI_STATUSES_IGNORE);
  CHECK(a[0][0] == 1 && b[3][0] == 0 && b[4][0] == 1 && b[5][2] == 2 && b[6][7] == 2 &&
        b[7][1] == 1 && b[8][7] == 2);
  CHECK(b[9][1] == 1 && a[11][0] == 3 && b[12][0] == 3 && b[13][0] == 3 &&
        b[14][0] == rank * (rank + 1) / 2);
  if (rank == 0) printf("nonblocking right\n");
  MPI_Finalize();
}
