// Rank 0 has a persistent receive from any source beside one from rank 1, and starts both three
// times: it believes that rank 2 comes before rank 3, and prints what it had the first time. Fixed:
// one from each, by name.
#include <mpi.h>
#include <stdio.h>
// run: ranks=4
// output: values 2 3, then 10
// output buggy: values * *, then 10
// expect confirmed, harmful: receive @{start} send @{give}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, value[3] = {0}, values[6], taken = 0;
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Datatype pair;
    MPI_Type_contiguous(1, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Recv_init(&value[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
#ifdef FIXED
    MPI_Recv_init(&value[1], 1, pair, 2, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Recv_init(&value[2], 1, pair, 3, 0, MPI_COMM_WORLD, &requests[2]);
#else
    MPI_Recv_init(&value[1], 1, pair, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[1]);
#endif
    MPI_Type_free(&pair);
  }
  for (int round = 0; round < 3; ++round) {
    if (rank == 0) {
#ifdef FIXED
      MPI_Startall(3, requests);
      for (int left = 3; left > 0; --left) {
        int which;
        MPI_Waitany(3, requests, &which, MPI_STATUS_IGNORE);
        if (which > 0) values[taken + which - 1] = value[which];
      }
      taken += 2;
#else
      MPI_Start(&requests[0]);
      for (int i = 0; i < 2; ++i) {
        int which = 0;
        MPI_Start(&requests[1]); /*{start}*/
        while (which != 1) MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
        values[taken++] = value[1];
      }
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
#endif
    } else {
#ifdef FIXED
      const int tag = 0;
#else
      const int tag = rank == 1 ? 0 : 5;
#endif
      MPI_Send(&rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD); /*{give}*/
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) {
    for (int i = 0; i < 3; ++i)
      if (requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]);
    printf("values %d %d, then %d\n", values[0], values[1],
           values[2] + values[3] + values[4] + values[5]);
  }
  MPI_Finalize();
  return 0;
}
