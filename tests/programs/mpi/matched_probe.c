// Probe, then receive: the plain probe returns an envelope, the matched one a message that only its
// receive can take.
#include "check.h"
// run: ranks=3
// output: probed 3 1 2
// expect rank 0: MPI_Probe comm=MPI_COMM_WORLD from=ANY tag=1 matched=1 matchedtag=1 bytes=12 !writes=*
// expect rank 0: MPI_Recv from=1 tag=1 matched=1 bytes=12
// expect rank 0: MPI_Mprobe from=ANY tag=2 matched=2 matchedtag=2 bytes=4 message=$first
// expect rank 0: MPI_Mrecv matched=2 matchedtag=2 bytes=4 message=$first writes=*+4(1xMPI_INT)
// expect rank 0: MPI_Improbe from=1 tag=3 flag=1 matched=1 message=$second
// expect rank 0: MPI_Improbe from=2 tag=3 flag=1 matched=2 message=$third
// expect rank 0: MPI_Imrecv request=$c message=$third
// expect rank 0: MPI_Imrecv request=$b message=$second
// expect rank 0: MPI_Waitall requests=[$b;$c] done=[$b:from=1,tag=3,bytes=4;$c:from=2,tag=3,bytes=4]
// expect rank 0: MPI_Iprobe from=1 tag=4 flag=1 matched=1 matchedtag=4 bytes=4
// expect rank 0: MPI_Recv from=1 tag=4
// expect rank 0: MPI_Mprobe from=NULL !message=*
// expect rank 0: MPI_Mrecv matched=NULL bytes=0 !writes=*

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, x[3] = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const MPI_Comm world = MPI_COMM_WORLD;
  if (rank == 0) {
    MPI_Status status;
    MPI_Message first, second, third;
    MPI_Request requests[2];
    int count, flag;
    MPI_Probe(MPI_ANY_SOURCE, 1, world, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Recv(x, count, MPI_INT, status.MPI_SOURCE, 1, world, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_ANY_SOURCE, 2, world, &first, MPI_STATUS_IGNORE);
    MPI_Mrecv(x, 1, MPI_INT, &first, MPI_STATUS_IGNORE);
    CHECK(x[0] == 2);
    for (flag = 0; !flag;) MPI_Improbe(1, 3, world, &flag, &second, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;) MPI_Improbe(2, 3, world, &flag, &third, &status);
    MPI_Imrecv(&x[1], 1, MPI_INT, &third, &requests[1]);
    MPI_Imrecv(&x[0], 1, MPI_INT, &second, &requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(x[0] == 1 && x[1] == 2);
    for (flag = 0; !flag;) MPI_Iprobe(1, 4, world, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(&x[2], 1, MPI_INT, 1, 4, world, MPI_STATUS_IGNORE);
    printf("probed %d %d %d\n", count, x[0], x[1]);
    MPI_Mprobe(MPI_PROC_NULL, 0, world, &first, MPI_STATUS_IGNORE);
    MPI_Mrecv(x, 1, MPI_INT, &first, MPI_STATUS_IGNORE);
  } else {
    x[0] = rank;
    if (rank == 1) MPI_Send(x, 3, MPI_INT, 0, 1, world);
    if (rank == 2) MPI_Send(x, 1, MPI_INT, 0, 2, world);
    MPI_Send(x, 1, MPI_INT, 0, 3, world);
    if (rank == 1) MPI_Send(x, 1, MPI_INT, 0, 4, world);
  }
  MPI_Finalize();
}
