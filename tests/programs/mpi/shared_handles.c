// Small sends complete at once, and a library may use one handle for all of them. The program waits
// in reverse order. Each wait must still name the request that the program means: the one whose
// handle is stored at that address.
#include "check.h"
// run: ranks=2
// output: all there
// expect rank 0: MPI_Isend to=1 tag=0 request=1 reads=*+8(1xMPI_DOUBLE)
// expect rank 0: MPI_Isend to=1 tag=5 request=6
// expect rank 0: MPI_Wait requests=[6] done=[6]
// expect rank 0: MPI_Wait requests=[5] done=[5]
// expect rank 0: MPI_Wait requests=[4] done=[4]
// expect rank 0: MPI_Wait requests=[3] done=[3]
// expect rank 0: MPI_Wait requests=[2] done=[2]
// expect rank 0: MPI_Wait requests=[1] done=[1]
// expect rank 0: MPI_Isend tag=10 request=7
// expect rank 0: MPI_Isend tag=11 request=8
// expect rank 0: MPI_Isend tag=12 request=9
// expect rank 0: MPI_Testall requests=[9;8;7] flag=1 done=[9;8;7]
// expect rank 0: MPI_Isend tag=20 request=10
// expect rank 0: MPI_Isend tag=21 request=11
// expect rank 0: MPI_Waitall requests=[11;0;10] done=[11;10]
// expect count=11 rank 0: MPI_Isend

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double x[6] = {0, 1, 2, 3, 4, 5};
  const MPI_Comm world = MPI_COMM_WORLD;
  if (rank == 0) {
    MPI_Request requests[6];
    for (int i = 0; i < 6; ++i) MPI_Isend(&x[i], 1, MPI_DOUBLE, 1, i, world, &requests[i]);
    for (int i = 5; i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);

    for (int i = 0; i < 3; ++i) MPI_Isend(&x[i], 1, MPI_DOUBLE, 1, 10 + i, world, &requests[2 - i]);
    MPI_Barrier(world);  // rank 1 has received them
    int flag = 0;
    while (!flag) MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);

    requests[1] = MPI_REQUEST_NULL;
    MPI_Isend(&x[0], 1, MPI_DOUBLE, 1, 20, world, &requests[2]);
    MPI_Isend(&x[1], 1, MPI_DOUBLE, 1, 21, world, &requests[0]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    printf("all there\n");
  } else {
    for (int i = 0; i < 6; ++i) MPI_Recv(&x[i], 1, MPI_DOUBLE, 0, i, world, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; ++i) MPI_Recv(&x[i], 1, MPI_DOUBLE, 0, 10 + i, world, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
    for (int i = 0; i < 2; ++i) MPI_Recv(&x[i], 1, MPI_DOUBLE, 0, 20 + i, world, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
}
