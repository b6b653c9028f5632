// Calls new in MPI 4: nonblocking send-receives, and a nonblocking duplicate with info. (MPICH
// 4.0 fills the statuses of the former with numbers of its own, so the test does not check
// them.)
#include "check.h"
// run: ranks=2 mpi=mpich
// output: exchanged
// expect rank 0: MPI_Isendrecv to=1 tag=1 from=1 tag=1 request=$both reads=*+4(1xMPI_INT) writes=*+4(1xMPI_INT)
// expect rank 0: MPI_Isendrecv_replace to=1 tag=2 from=1 tag=2 request=$same updates=*+4(1xMPI_INT)
// expect rank 0: MPI_Waitall requests=[$both;$same] done=[$both*;$same*]
// expect rank all: MPI_Comm_idup_with_info new=$copy request=$made
// expect rank all: MPI_Wait requests=[$made] done=[$made]
// expect define rank all: $copy uid=$COPY group={0-1}
// expect rank all: MPI_Barrier comm=$copy

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int other = 1 - rank;
  int in = -1, both = rank;
  MPI_Request requests[2];
  MPI_Isendrecv(&rank, 1, MPI_INT, other, 1, &in, 1, MPI_INT, other, 1, MPI_COMM_WORLD,
                &requests[0]);
  MPI_Isendrecv_replace(&both, 1, MPI_INT, other, 2, other, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(in == other && both == other);
  MPI_Comm copy;
  MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copy, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Barrier(copy);
  MPI_Comm_free(&copy);
  if (rank == 0) printf("exchanged\n");
  MPI_Finalize();
}
