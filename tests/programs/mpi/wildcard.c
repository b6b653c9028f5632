// Receives from any source, on a communicator with reversed ranks: matches are reported in world
// ranks.
#include "check.h"
// run: ranks=4 exit=66
// output: heard 1 2 3
// expect define rank all: $reverse uid=$REVERSE group={3,2,1,0} parent=MPI_COMM_WORLD
// expect rank all: MPI_Comm_split comm=MPI_COMM_WORLD new=$reverse color=0
// expect rank 3: MPI_Send comm=$reverse to=0 tag=103 reads=*+8(1xMPI_LONG)
// expect rank 0: MPI_Recv comm=$reverse from=ANY tag=ANY matched=$first matchedtag=* bytes=8 writes=*+80(10xMPI_LONG)
// expect rank 0: MPI_Recv comm=$reverse from=ANY tag=ANY matched=$second
// expect rank 0: MPI_Recv comm=$reverse from=ANY tag=ANY matched=$third
// expect count=1 rank 0: MPI_Recv matched=1 matchedtag=101
// expect count=1 rank 0: MPI_Recv matched=2 matchedtag=102
// expect count=1 rank 0: MPI_Recv matched=3 matchedtag=103
// expect rank 0: MPI_Irecv comm=$reverse from=ANY tag=5 request=$later
// expect rank 0: MPI_Wait requests=[$later] done=[$later:from=2,tag=5,bytes=0]
// expect rank 2: MPI_Ssend comm=$reverse to=0 tag=5

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm reverse;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reverse);
  const int zero = 3;  // world rank 0 in `reverse`
  if (rank == 0) {
    int heard[4] = {0};
    for (int i = 0; i < 3; ++i) {
      long values[10];
      MPI_Status status;
      MPI_Recv(values, 10, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, reverse,
               i == 1 ? MPI_STATUS_IGNORE : &status);
      if (i != 1) CHECK(3 - status.MPI_SOURCE == values[0] && status.MPI_TAG == 100 + values[0]);
      heard[values[0]] = (int)values[0];
    }
    MPI_Barrier(reverse);  // later messages are not for the receives above
    MPI_Request request;
    MPI_Irecv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 5, reverse, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("heard %d %d %d\n", heard[1], heard[2], heard[3]);
  } else {
    long value = rank;
    MPI_Send(&value, 1, MPI_LONG, zero, 100 + rank, reverse);
    MPI_Barrier(reverse);
    if (rank == 2) MPI_Ssend(NULL, 0, MPI_INT, zero, 5, reverse);
  }
  MPI_Comm_free(&reverse);
  MPI_Finalize();
}
