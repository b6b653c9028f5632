// Partitioned communication: a buffer of four partitions, readied one by one, as a range, and from
// a list.
#include "check.h"
// run: ranks=2 mpi=mpich
// output: arrived 28
// expect rank 0: MPI_Psend_init to=1 tag=3 request=$out partitions=4 reads=$a+32(8xMPI_INT)
// expect rank 0: MPI_Start requests=[$out]
// expect rank 0: MPI_Pready request=$out partition=2
// expect rank 0: MPI_Pready_range request=$out partition=0 lastpartition=1
// expect rank 0: MPI_Pready_list request=$out partitions=1 list=[3]
// expect rank 0: MPI_Wait requests=[$out] done=[$out]
// expect rank 0: MPI_Request_free requests=[$out]
// expect rank 1: MPI_Precv_init from=0 tag=3 request=$in partitions=2 writes=*+32(8xMPI_INT)
// expect rank 1: MPI_Start requests=[$in]
// expect rank 1: MPI_Parrived request=$in flag=1 partition=1
// expect rank 1: MPI_Wait requests=[$in] done=[$in:from=0,tag=3,bytes=32]

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, sum = 0;
  int a[8] = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Request request;
  if (rank == 0) {
    for (int i = 0; i < 8; ++i) a[i] = i;
    MPI_Psend_init(a, 4, 2, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready(2, request);
    MPI_Pready_range(0, 1, request);
    const int last[1] = {3};
    MPI_Pready_list(1, last, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Precv_init(a, 2, 4, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    int flag = 0;
    while (!flag) MPI_Parrived(request, 1, &flag);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 8; ++i) sum += a[i];
    printf("arrived %d\n", sum);
  }
  MPI_Request_free(&request);
  MPI_Finalize();
}
