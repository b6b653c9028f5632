// A receive that gets less than its buffer holds, of a type with gaps: what was not received, and
// what lies in the gaps, keeps the values that the program stores meanwhile, in both orders.
#include "../rma/rma.h"
// run: ranks=2
// output: gap 7, tail 0
// expect confirmed, harmful: store @{receive} load @{use}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Datatype every_second;
  MPI_Type_vector(2, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  if (rank == 0) {
    const int values[2] = {1, 2};
    MPI_Send(values, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    static int buffer[16];
    MPI_Request request;
    MPI_Irecv(buffer, 4, every_second, 0, 0, MPI_COMM_WORLD, &request); /*{receive}*/
    buffer[1] = 7;
#ifdef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    const int used = LOAD(buffer[2]); /*{use}*/
#ifndef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    if (buffer[0] != 1 || buffer[2] != 2) MPI_Abort(MPI_COMM_WORLD, 3);
    printf("gap %d, tail %d\n", buffer[1], buffer[6]);
    printf("used %d\n", used);
  }
  MPI_Type_free(&every_second);
  MPI_Finalize();
}
