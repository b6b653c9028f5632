// Every send mode, blocking and nonblocking, to a neighbor and to MPI_PROC_NULL.
#include <stdlib.h>
#include "check.h"
// run: ranks=2
// output: got 78
// expect rank 0: MPI_Buffer_attach address=$area size=4096
// expect rank 0: MPI_Barrier comm=MPI_COMM_WORLD
// expect rank 0: MPI_Send comm=MPI_COMM_WORLD to=1 tag=1 reads=$a+4(1xMPI_INT) !request=* @main
// expect rank 0: MPI_Ssend to=1 tag=2 reads=${a+4}+4(1xMPI_INT)
// expect rank 0: MPI_Bsend to=1 tag=3 reads=${a+8}+4(1xMPI_INT)
// expect rank 0: MPI_Rsend to=1 tag=4 reads=${a+12}+4(1xMPI_INT)
// expect rank 0: MPI_Isend to=1 tag=5 request=$five reads=${a+16}+4(1xMPI_INT)
// expect rank 0: MPI_Issend to=1 tag=6 request=$six reads=${a+20}+4(1xMPI_INT)
// expect rank 0: MPI_Ibsend to=1 tag=7 request=$seven reads=${a+24}+4(1xMPI_INT)
// expect rank 0: MPI_Irsend to=1 tag=8 request=$eight reads=${a+28}+4(1xMPI_INT)
// expect rank 0: MPI_Waitall requests=[$five;$six;$seven;$eight] done=[$five;$six;$seven;$eight]
// expect rank 0: MPI_Buffer_detach address=$area size=4096
// expect rank 0: MPI_Sendrecv to=1 tag=9 from=1 tag=10 matched=1 matchedtag=10 bytes=8 reads=${a+32}+4(1xMPI_INT) writes=$pair+8(2xMPI_INT)
// expect rank 1: MPI_Sendrecv to=0 tag=10 from=0 tag=9 matched=0 matchedtag=9 bytes=4 reads=*+8(2xMPI_INT) writes=*+4(1xMPI_INT)
// expect rank 0: MPI_Sendrecv_replace to=1 tag=11 from=1 tag=11 matched=1 updates=$pair+8(2xMPI_INT)
// expect rank all: MPI_Send to=NULL tag=12 !reads=*
// expect rank all: MPI_Recv from=NULL tag=12 matched=NULL bytes=0 !writes=*
// expect rank all: MPI_Sendrecv to=NULL from=NULL !reads=* !writes=*
// expect rank all: MPI_Sendrecv_replace to=NULL from=NULL !updates=* !reads=*
// expect rank all: MPI_Isend to=NULL request=$none !reads=*
// expect rank all: MPI_Wait requests=[$none] done=[$none]
// expect rank 1: MPI_Send to=0 tag=13 !reads=*
// expect rank 0: MPI_Recv from=1 tag=13 matched=1 bytes=0 !writes=*

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const MPI_Comm world = MPI_COMM_WORLD;
  int a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, pair[2] = {20, 22}, got = 0;
  MPI_Request requests[4];
  if (rank == 0) {
    void* area = malloc(4096);
    int size;
    MPI_Buffer_attach(area, 4096);
    MPI_Barrier(world);  // both receives for ready sends are posted
    MPI_Send(&a[0], 1, MPI_INT, 1, 1, world);
    MPI_Ssend(&a[1], 1, MPI_INT, 1, 2, world);
    MPI_Bsend(&a[2], 1, MPI_INT, 1, 3, world);
    MPI_Rsend(&a[3], 1, MPI_INT, 1, 4, world);
    MPI_Isend(&a[4], 1, MPI_INT, 1, 5, world, &requests[0]);
    MPI_Issend(&a[5], 1, MPI_INT, 1, 6, world, &requests[1]);
    MPI_Ibsend(&a[6], 1, MPI_INT, 1, 7, world, &requests[2]);
    MPI_Irsend(&a[7], 1, MPI_INT, 1, 8, world, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Buffer_detach(&area, &size);
    free(area);
    MPI_Sendrecv(&a[8], 1, MPI_INT, 1, 9, pair, 2, MPI_INT, 1, 10, world, MPI_STATUS_IGNORE);
  } else {
    int in[9];
    MPI_Irecv(&in[3], 1, MPI_INT, 0, 4, world, &requests[0]);
    MPI_Irecv(&in[7], 1, MPI_INT, 0, 8, world, &requests[1]);
    MPI_Barrier(world);
    for (int tag = 1; tag <= 7; ++tag)
      if (tag != 4) MPI_Recv(&in[tag - 1], 1, MPI_INT, 0, tag, world, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(pair, 2, MPI_INT, 0, 10, &in[8], 1, MPI_INT, 0, 9, world, MPI_STATUS_IGNORE);
    for (int i = 0; i < 9; ++i) got += in[i];
    CHECK(got == 45);
  }
  pair[0] += rank == 0 ? 13 : 0;
  MPI_Sendrecv_replace(pair, 2, MPI_INT, 1 - rank, 11, 1 - rank, 11, world, MPI_STATUS_IGNORE);
  got += pair[0];

  MPI_Send(a, 1, MPI_INT, MPI_PROC_NULL, 12, world);
  MPI_Recv(a, 1, MPI_INT, MPI_PROC_NULL, 12, world, MPI_STATUS_IGNORE);
  MPI_Sendrecv(a, 1, MPI_INT, MPI_PROC_NULL, 0, pair, 1, MPI_INT, MPI_PROC_NULL, 0, world,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(a, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_PROC_NULL, 0, world, MPI_STATUS_IGNORE);
  MPI_Isend(a, 1, MPI_INT, MPI_PROC_NULL, 0, world, requests);
  MPI_Wait(requests, MPI_STATUS_IGNORE);
  if (rank == 1)
    MPI_Send(NULL, 0, MPI_INT, 0, 13, world);
  else
    MPI_Recv(NULL, 0, MPI_INT, 1, 13, world, MPI_STATUS_IGNORE);
  if (rank == 1) printf("got %d\n", got);
  MPI_Finalize();
}
