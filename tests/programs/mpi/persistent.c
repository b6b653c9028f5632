// Persistent requests: initialized once, started twice, in each send mode; a wait for an inactive
// one returns at once.
#include <stdlib.h>
#include "check.h"
// run: ranks=2
// output: got 1 2 3 4, then 11 12 13 14
// expect rank 0: MPI_Send_init to=1 tag=0 request=$s reads=$a+4(1xMPI_INT)
// expect rank 0: MPI_Bsend_init to=1 tag=1 request=$b reads=${a+4}+4(1xMPI_INT)
// expect rank 0: MPI_Ssend_init to=1 tag=2 request=$ss reads=${a+8}+4(1xMPI_INT)
// expect rank 0: MPI_Rsend_init to=1 tag=3 request=$r reads=${a+12}+4(1xMPI_INT)
// expect rank 0: MPI_Wait requests=[$s] !done=*
// expect rank 0: MPI_Startall requests=[$s;$b;$ss]
// expect rank 0: MPI_Start requests=[$r]
// expect rank 0: MPI_Waitall requests=[$s;$b;$ss;$r] done=[$s;$b;$ss;$r]
// expect rank 0: MPI_Startall requests=[$s;$b;$ss]
// expect rank 0: MPI_Start requests=[$r]
// expect rank 0: MPI_Waitall requests=[$s;$b;$ss;$r] done=[$s;$b;$ss;$r]
// expect rank 0: MPI_Waitall requests=[$s;$b;$ss;$r] !done=*
// expect rank 0: MPI_Request_free requests=[$s]
// expect rank 0: MPI_Request_free requests=[$r]
// expect rank 1: MPI_Recv_init from=0 tag=0 request=1 writes=*+4(1xMPI_INT)
// expect rank 1: MPI_Recv_init from=ANY tag=3 request=4
// expect rank 1: MPI_Startall requests=[1;2;3;4]
// expect rank 1: MPI_Waitall requests=[1;2;3;4] done=[1:from=0,tag=0,bytes=4;2:from=0,tag=1,bytes=4;3:from=0,tag=2,bytes=4;4:from=0,tag=3,bytes=4]
// expect count=4 rank all: MPI_Request_free

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, a[4], all[8];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Request requests[4];
  void* area = malloc(4096);
  int size = 4096;
  MPI_Buffer_attach(area, size);
  if (rank == 0) {
    MPI_Send_init(&a[0], 1, MPI_INT, 1, 0, world, &requests[0]);
    MPI_Bsend_init(&a[1], 1, MPI_INT, 1, 1, world, &requests[1]);
    MPI_Ssend_init(&a[2], 1, MPI_INT, 1, 2, world, &requests[2]);
    MPI_Rsend_init(&a[3], 1, MPI_INT, 1, 3, world, &requests[3]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  } else {
    for (int i = 0; i < 4; ++i)
      MPI_Recv_init(&a[i], 1, MPI_INT, i == 3 ? MPI_ANY_SOURCE : 0, i, world, &requests[i]);
  }
  for (int round = 0; round < 2; ++round) {
    if (rank == 1) MPI_Startall(4, requests);
    MPI_Barrier(world);
    if (rank == 0) {
      for (int i = 0; i < 4; ++i) a[i] = 10 * round + i + 1;
      MPI_Startall(3, requests);
      MPI_Start(&requests[3]);
    }
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 4; ++i) all[4 * round + i] = a[i];
  }
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
  MPI_Buffer_detach(&area, &size);
  free(area);
  if (rank == 1)
    printf("got %d %d %d %d, then %d %d %d %d\n", all[0], all[1], all[2], all[3], all[4], all[5],
           all[6], all[7]);
  MPI_Finalize();
}
