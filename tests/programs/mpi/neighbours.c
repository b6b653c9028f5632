// Neighborhood collectives, blocking, nonblocking and persistent, on a line of ranks and on a
// distributed graph. There is no neighbor beyond the ends of the line: those blocks are neither
// read nor written.
#include "check.h"
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
#else
#define INIT(name) MPI_##name##_init
#endif
// run: ranks=3
// output: neighbors right
// expect rank all: MPI_Cart_create new=$line
// expect define rank 0: $line sources={NULL,1} destinations={NULL,1}
// expect rank 1: MPI_Neighbor_allgather comm=$line reads=*+4(1xMPI_INT) writes=*+8(2xMPI_INT)
// expect rank 0: MPI_Neighbor_alltoall comm=$line reads=$o+4(1xMPI_INT) writes=$i+4(1xMPI_INT)
// expect count=0 rank 0: MPI_Neighbor_alltoall reads=*+8(2xMPI_INT)
// expect rank 2: MPI_Neighbor_alltoall comm=$line reads=*+4(1xMPI_INT) writes=*+4(1xMPI_INT)
// expect rank all: MPI_Dist_graph_create_adjacent new=$graph
// expect define rank 0: $graph sources={1-2} destinations={1}
// expect rank 0: MPI_Neighbor_allgather comm=$graph reads=*+4(1xMPI_INT) writes=*+8(2xMPI_INT)
// expect rank 1: MPI_Neighbor_allgather comm=$graph reads=*+4(1xMPI_INT) writes=*+4(1xMPI_INT)
// expect rank 0: MPI_Neighbor_allgatherv comm=$graph reads=*+4(1xMPI_INT) writes=$v+4(1xMPI_INT) writes=${v+8}+4(1xMPI_INT)
// expect rank 0: MPI_Neighbor_alltoallv comm=$graph reads=*+4(1xMPI_INT) writes=$w+4(1xMPI_INT) writes=${w+8}+4(1xMPI_INT)
// expect rank 0: MPI_Neighbor_alltoallw comm=$graph reads=*+4(1xMPI_INT) writes=$x+4(1xMPI_INT) writes=${x+12}+4(1xMPI_INT)
// expect rank 2: MPI_Ineighbor_allgather comm=$graph request=1 reads=*+4(1xMPI_INT) writes=*+4(1xMPI_INT)
// expect rank 2: MPI_Ineighbor_allgatherv request=2
// expect rank 2: MPI_Ineighbor_alltoall request=3 reads=*+4(1xMPI_INT) writes=*+4(1xMPI_INT)
// expect rank 2: MPI_Ineighbor_alltoallv request=4
// expect rank 2: MPI_Ineighbor_alltoallw request=5
// expect rank all: MPI_Waitall requests=[1;2;3;4;5] done=[1;2;3;4;5]
// expect rank all: MPI*_Neighbor_allgather_init comm=$graph request=6
// expect rank all: MPI*_Neighbor_allgatherv_init request=7
// expect rank 0: MPI*_Neighbor_alltoall_init request=8 reads=*+4(1xMPI_INT) writes=*+8(2xMPI_INT)
// expect rank all: MPI*_Neighbor_alltoallv_init request=9
// expect rank 0: MPI*_Neighbor_alltoallw_init request=10 writes=$y+4(1xMPI_INT) writes=${y+12}+4(1xMPI_INT)
// expect rank all: MPI_Startall requests=[6;7;8;9;10]
// expect rank all: MPI_Waitall requests=[6;7;8;9;10] done=[6;7;8;9;10]

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int a[8] = {rank, rank, rank, rank}, b[16] = {0};
  MPI_Comm line, g;
  const int size = 3, open = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &line);
  MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, line);
  if (rank == 1) CHECK(b[0] == 0 && b[1] == 2);
  MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, line);
  if (rank < 2) CHECK(b[1] == rank + 1);

  // 0 → 1, 1 → 2, 2 → 0, 1 → 0
  const int ins[3][2] = {{1, 2}, {0, 0}, {1, 0}}, outs[3][2] = {{1, 0}, {2, 0}, {0, 0}};
  const int in = rank == 0 ? 2 : 1, out = rank == 1 ? 2 : 1;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, ins[rank], MPI_UNWEIGHTED, out, outs[rank],
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &g);
  const int ones[2] = {1, 1}, displs[2] = {0, 2};
  const MPI_Aint offsets[2] = {0, 12};
  const MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
  MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, g);
  if (rank == 0) CHECK(b[0] == 1 && b[1] == 2);
  MPI_Neighbor_allgatherv(a, 1, MPI_INT, b, ones, displs, MPI_INT, g);
  MPI_Neighbor_alltoallv(a, ones, displs, MPI_INT, b, ones, displs, MPI_INT, g);
  if (rank == 0) CHECK(b[0] == 1 && b[2] == 2);
  MPI_Neighbor_alltoallw(a, ones, offsets, ints, b, ones, offsets, ints, g);
  if (rank == 0) CHECK(b[3] == 2);

  MPI_Request r[5];
  int c[5][8];
  MPI_Ineighbor_allgather(a, 1, MPI_INT, c[0], 1, MPI_INT, g, &r[0]);
  MPI_Ineighbor_allgatherv(a, 1, MPI_INT, c[1], ones, displs, MPI_INT, g, &r[1]);
  MPI_Ineighbor_alltoall(a, 1, MPI_INT, c[2], 1, MPI_INT, g, &r[2]);
  MPI_Ineighbor_alltoallv(a, ones, displs, MPI_INT, c[3], ones, displs, MPI_INT, g, &r[3]);
  MPI_Ineighbor_alltoallw(a, ones, offsets, ints, c[4], ones, offsets, ints, g, &r[4]);
  MPI_Waitall(5, r, MPI_STATUSES_IGNORE);
  if (rank == 0)
    CHECK(c[0][1] == 2 && c[1][2] == 2 && c[2][1] == 2 && c[3][2] == 2 && c[4][3] == 2);

  INIT(Neighbor_allgather)(a, 1, MPI_INT, c[0], 1, MPI_INT, g, MPI_INFO_NULL, &r[0]);
  INIT(Neighbor_allgatherv)(a, 1, MPI_INT, c[1], ones, displs, MPI_INT, g, MPI_INFO_NULL, &r[1]);
  INIT(Neighbor_alltoall)(a, 1, MPI_INT, c[2], 1, MPI_INT, g, MPI_INFO_NULL, &r[2]);
  INIT(Neighbor_alltoallv)(a, ones, displs, MPI_INT, c[3], ones, displs, MPI_INT, g, MPI_INFO_NULL,
                           &r[3]);
  INIT(Neighbor_alltoallw)(a, ones, offsets, ints, c[4], ones, offsets, ints, g, MPI_INFO_NULL,
                           &r[4]);
  MPI_Startall(5, r);
  MPI_Waitall(5, r, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 5; ++i) MPI_Request_free(&r[i]);
  MPI_Comm_free(&g);
  MPI_Comm_free(&line);
  if (rank == 0) printf("neighbors right\n");
  MPI_Finalize();
}
