// Waitany, Waitsome, Testany, Testsome, Testall, Request_get_status, Cancel, and Request_free while
// the message is pending.
#include "check.h"
// run: ranks=2
// output: done 10
// expect rank 0: MPI_Irecv from=1 tag=0 request=1
// expect rank 0: MPI_Irecv from=1 tag=7 request=8
// expect rank 0: MPI_Waitany requests=[1;2;3;4;5;6;7;8] done=[3:from=1,tag=2,bytes=4]
// expect rank 0: MPI_Waitany requests=[1;2;0;4;5;6;7;8] done=[1:from=1,tag=0,bytes=4]
// expect rank 0: MPI_Waitsome requests=[0;2;0;4;5;6;7;8] done=[2:from=1,tag=1,bytes=4]
// expect rank 0: MPI_Testany requests=[0;0;0;4;5;6;7;8] flag=0 !done=*
// expect rank 0: MPI_Testany requests=[0;0;0;4;5;6;7;8] flag=1 done=[4:from=1,tag=3,bytes=4]
// expect rank 0: MPI_Testsome requests=[0;0;0;0;5;6;7;8] done=[5:from=1,tag=4,bytes=4]
// expect rank 0: MPI_Request_get_status request=6 flag=1 matched=1 matchedtag=5 bytes=4
// expect rank 0: MPI_Test requests=[6] flag=1 done=[6:from=1,tag=5,bytes=4]
// expect rank 0: MPI_Testall requests=[0;0;7;8] flag=1 done=[7:from=1,tag=6,bytes=4;8:from=1,tag=7,bytes=4]
// expect rank 0: MPI_Irecv tag=99 request=$lost
// expect rank 0: MPI_Cancel requests=[$lost]
// expect rank 0: MPI_Wait requests=[$lost] done=[$lost:cancelled]
// expect rank 0: MPI_Isend to=1 tag=50 request=$left
// expect rank 0: MPI_Request_free requests=[$left] !done=*
// expect rank 0: MPI_Waitall requests=[0;0]
// expect rank 0: MPI_Wait requests=[0] !done=*
// expect rank 1: MPI_Recv from=0 tag=50 matched=0

static void test_until_one_is_done(MPI_Request* requests, int* index) {
  int flag = 0;
  while (!flag) MPI_Testany(8, requests, index, &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, in[8], sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const MPI_Comm world = MPI_COMM_WORLD;
  if (rank == 0) {
    MPI_Request requests[8], request;
    MPI_Status statuses[8];
    int index, indices[8], count = 0, flag = 0;
    for (int i = 0; i < 8; ++i) MPI_Irecv(&in[i], 1, MPI_INT, 1, i, world, &requests[i]);
    // Rank 1 sends the next message on request.
    MPI_Send(NULL, 0, MPI_INT, 1, 2, world);
    MPI_Waitany(8, requests, &index, MPI_STATUS_IGNORE);
    CHECK(index == 2);
    MPI_Send(NULL, 0, MPI_INT, 1, 0, world);
    MPI_Waitany(8, requests, &index, statuses);
    CHECK(index == 0);
    MPI_Send(NULL, 0, MPI_INT, 1, 1, world);
    MPI_Waitsome(8, requests, &count, indices, MPI_STATUSES_IGNORE);
    CHECK(count == 1 && indices[0] == 1);
    MPI_Testany(8, requests, &index, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Send(NULL, 0, MPI_INT, 1, 3, world);
    test_until_one_is_done(requests, &index);
    CHECK(index == 3);
    MPI_Send(NULL, 0, MPI_INT, 1, 4, world);
    for (count = 0; count == 0;) MPI_Testsome(8, requests, &count, indices, statuses);
    CHECK(count == 1 && indices[0] == 4);
    MPI_Send(NULL, 0, MPI_INT, 1, 5, world);
    for (flag = 0; !flag;) MPI_Request_get_status(requests[5], &flag, MPI_STATUS_IGNORE);
    MPI_Test(&requests[5], &flag, MPI_STATUS_IGNORE);
    CHECK(flag);
    MPI_Send(NULL, 0, MPI_INT, 1, 6, world);
    MPI_Send(NULL, 0, MPI_INT, 1, 7, world);
    for (flag = 0; !flag;) MPI_Testall(4, requests + 4, &flag, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 8; ++i) sum += in[i];
    CHECK(sum == 28);

    MPI_Irecv(in, 1, MPI_INT, 1, 99, world, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, statuses);
    MPI_Test_cancelled(statuses, &flag);
    CHECK(flag);
    MPI_Isend(&in[1], 1, MPI_INT, 1, 50, world, &request);
    MPI_Request_free(&request);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    int which, order[8] = {2, 0, 1, 3, 4, 5, 6, 7};
    for (int i = 0; i < 8; ++i) {
      MPI_Recv(NULL, 0, MPI_INT, 0, order[i], world, MPI_STATUS_IGNORE);
      MPI_Send(&order[i], 1, MPI_INT, 0, order[i], world);
    }
    MPI_Recv(&which, 1, MPI_INT, 0, 50, world, MPI_STATUS_IGNORE);
    CHECK(which == 1);
  }
  if (rank == 0) printf("done %d\n", sum - 18);
  MPI_Finalize();
}
