// Loops that test until they succeed: the trace has the first failure, the number of repetitions,
// and the success, not an event for each iteration.
#include <unistd.h>
#include "check.h"
// run: ranks=2
// output: polled more than 1000 times
// expect rank 0: MPI_Irecv request=$in
// expect rank 0: MPI_Test requests=[$in] flag=0 !done=* @{test}
// expect rank 0: MPI_Test flag=0 repeated=$tests @{test}
// expect rank 0: MPI_Test requests=[$in] flag=1 done=[$in:from=1,tag=0,bytes=4] @{test}
// expect rank 0: MPI_Send
// expect rank 0: MPI_Iprobe from=1 tag=1 flag=0 @{probe}
// expect rank 0: MPI_Iprobe flag=0 repeated=* @{probe}
// expect rank 0: MPI_Iprobe from=1 tag=1 flag=1 matched=1 matchedtag=1 bytes=4 @{probe}
// expect rank 0: MPI_Recv from=1 tag=1
// expect count=3 rank 0: MPI_Test
// expect count=3 rank 0: MPI_Iprobe

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, x = 1, flag = 0, rounds = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Request request;
    MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    for (; !flag; ++rounds) MPI_Test(&request, &flag, MPI_STATUS_IGNORE); /*{test}*/
    MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
    for (flag = 0; !flag; ++rounds)
      MPI_Iprobe(1, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); /*{probe}*/
    MPI_Recv(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("polled more than %d times\n", rounds > 1000 ? 1000 : rounds);
  } else {
    usleep(300000);
    MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(300000);
    MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
