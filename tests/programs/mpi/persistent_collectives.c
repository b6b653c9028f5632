// Every persistent collective, initialized once, started twice. Open MPI 4.1 has them under other
// names.
#include "check.h"
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
#else
#define INIT(name) MPI_##name##_init
#endif
// run: ranks=3
// output: persistent right
// expect rank all: MPI*_Barrier_init comm=MPI_COMM_WORLD request=1
// expect rank 1: MPI*_Bcast_init root=1 request=2 reads=*+4(1xMPI_INT)
// expect mpi=openmpi rank 2: MPIX_Gather_init root=2 request=3
// expect mpi=mpich rank 2: MPI_Gather_init root=2 request=3
// expect rank 0: MPI*_Gatherv_init root=0 request=4 reads=*+4(1xMPI_INT) writes=$v+4(1xMPI_INT) writes=${v+8}+8(2xMPI_INT) writes=${v+20}+12(3xMPI_INT)
// expect rank all: MPI*_Scatter_init root=0 request=5
// expect rank 1: MPI*_Scatterv_init root=1 request=6 reads=*+4(1xMPI_INT) reads=*+8(2xMPI_INT) reads=*+12(3xMPI_INT) writes=*+8(2xMPI_INT)
// expect rank all: MPI*_Allgather_init request=7 reads=*+4(1xMPI_INT) writes=*+12(3xMPI_INT)
// expect rank all: MPI*_Allgatherv_init request=8 writes=*+4(1xMPI_INT) writes=*+8(2xMPI_INT) writes=*+12(3xMPI_INT)
// expect rank all: MPI*_Alltoall_init request=9 reads=*+12(3xMPI_INT) writes=*+12(3xMPI_INT)
// expect rank all: MPI*_Alltoallv_init request=10 writes=*+4(1xMPI_INT) writes=*+8(2xMPI_INT) writes=*+12(3xMPI_INT)
// expect rank all: MPI*_Alltoallw_init request=11 reads=$o+4(1xMPI_INT) reads=${o+8}+4(1xMPI_INT) reads=${o+16}+4(1xMPI_INT)
// expect rank all: MPI*_Reduce_init root=0 request=12 op=MPI_SUM reads=*+4(1xMPI_INT)
// expect rank all: MPI*_Allreduce_init request=13 op=MPI_SUM reads=*+4(1xMPI_INT) writes=*+4(1xMPI_INT)
// expect rank 2: MPI*_Reduce_scatter_init request=14 reads=*+24(6xMPI_INT) writes=*+12(3xMPI_INT)
// expect rank all: MPI*_Reduce_scatter_block_init request=15 reads=*+12(3xMPI_INT) writes=*+4(1xMPI_INT)
// expect rank all: MPI*_Scan_init request=16 reads=*+4(1xMPI_INT) writes=*+4(1xMPI_INT)
// expect rank all: MPI*_Exscan_init request=17 reads=*+4(1xMPI_INT)
// expect rank all: MPI_Startall requests=[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;…17]
// expect rank all: MPI_Waitall requests=[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;…17] done=[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;…17]
// expect rank all: MPI_Start requests=[1]
// expect rank all: MPI_Wait requests=[1] done=[1]
// expect rank all: MPI_Start requests=[17]
// expect rank all: MPI_Wait requests=[17] done=[17]
// expect count=17 rank all: MPI_Request_free

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Info none = MPI_INFO_NULL;
  static int a[17][8], b[17][8];
  for (int i = 0; i < 17; ++i)
    for (int j = 0; j < 8; ++j) a[i][j] = rank;
  const int counts[3] = {1, 2, 3}, displs[3] = {0, 2, 5}, each[3] = {rank + 1, rank + 1, rank + 1};
  const int ones[3] = {1, 1, 1}, offsets[3] = {0, 8, 16};
  const MPI_Datatype ints[3] = {MPI_INT, MPI_INT, MPI_INT};
  MPI_Request r[17];
  INIT(Barrier)(world, none, &r[0]);
  INIT(Bcast)(a[0], 1, MPI_INT, 1, world, none, &r[1]);
  INIT(Gather)(a[1], 1, MPI_INT, b[1], 1, MPI_INT, 2, world, none, &r[2]);
  INIT(Gatherv)(a[2], rank + 1, MPI_INT, b[2], counts, displs, MPI_INT, 0, world, none, &r[3]);
  INIT(Scatter)(a[3], 1, MPI_INT, b[3], 1, MPI_INT, 0, world, none, &r[4]);
  INIT(Scatterv)(a[4], counts, displs, MPI_INT, b[4], rank + 1, MPI_INT, 1, world, none, &r[5]);
  INIT(Allgather)(a[5], 1, MPI_INT, b[5], 1, MPI_INT, world, none, &r[6]);
  INIT(Allgatherv)(a[6], rank + 1, MPI_INT, b[6], counts, displs, MPI_INT, world, none, &r[7]);
  INIT(Alltoall)(a[7], 1, MPI_INT, b[7], 1, MPI_INT, world, none, &r[8]);
  INIT(Alltoallv)(a[8], each, displs, MPI_INT, b[8], counts, displs, MPI_INT, world, none, &r[9]);
  INIT(Alltoallw)(a[9], ones, offsets, ints, b[9], ones, offsets, ints, world, none, &r[10]);
  INIT(Reduce)(a[10], b[10], 1, MPI_INT, MPI_SUM, 0, world, none, &r[11]);
  INIT(Allreduce)(a[11], b[11], 1, MPI_INT, MPI_SUM, world, none, &r[12]);
  INIT(Reduce_scatter)(a[12], b[12], counts, MPI_INT, MPI_SUM, world, none, &r[13]);
  INIT(Reduce_scatter_block)(a[13], b[13], 1, MPI_INT, MPI_SUM, world, none, &r[14]);
  INIT(Scan)(a[14], b[14], 1, MPI_INT, MPI_SUM, world, none, &r[15]);
  INIT(Exscan)(a[15], b[15], 1, MPI_INT, MPI_SUM, world, none, &r[16]);
  MPI_Startall(17, r);
  MPI_Waitall(17, r, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 17; ++i) {
    if (i == 4) continue;  // MPICH 4.0 cannot restart a scatter
    MPI_Start(&r[i]);
    MPI_Wait(&r[i], MPI_STATUS_IGNORE);
  }
  CHECK(a[0][0] == 1 && b[3][0] == 0 && b[4][0] == 1 && b[5][2] == 2 && b[6][7] == 2 &&
        b[7][1] == 1 && b[8][7] == 2);
  CHECK(b[9][2] == 1 && b[11][0] == 3 && b[12][0] == 3 && b[13][0] == 3 &&
        b[14][0] == rank * (rank + 1) / 2);
  for (int i = 0; i < 17; ++i) MPI_Request_free(&r[i]);
  if (rank == 0) printf("persistent right\n");
  MPI_Finalize();
}
