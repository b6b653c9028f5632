// A basic program: a message around a ring, a put into the neighbor's window, a sum.
#include "check.h"
// run: ranks=4
// output: sum 6
// expect end rank all: exit 0
// expect define rank all: MPI_COMM_WORLD uid=$WORLD group={0-3}
// expect define rank all: win1 uid=$WIN comm=MPI_COMM_WORLD flavour=allocate size=256 unit=4
// expect define rank all: $vector size=16 extent=52 lb=0 map={+0:4x4/16} element=MPI_INT
// expect rank all: MPI_Init @main
// expect rank 1: MPI_Irecv comm=MPI_COMM_WORLD from=0 tag=7 request=$in writes=$x+8(1xMPI_DOUBLE) @{irecv}<{called}
// expect rank 1: MPI_Isend comm=MPI_COMM_WORLD to=2 tag=7 request=$out reads=${x+8}+8(1xMPI_DOUBLE) @exchange<main
// expect rank 1: MPI_Waitall requests=[$in;$out] done=[$in:from=0,tag=7,bytes=8;$out]
// expect rank all: MPI_Win_allocate comm=MPI_COMM_WORLD newwin=win1
// expect rank all: MPI_Win_fence win=win1 assert=0
// expect rank all: MPI_Type_vector newtype=$vector
// expect rank 3: MPI_Put win=win1 target=0 reads=*+16(4xMPI_INT) target_writes=+0xc{+0:4x4/16}(1x$vector)
// expect rank all: MPI_Win_fence win=win1 assert=NOSUCCEED
// expect rank all: MPI_Type_free type=$vector
// expect rank all: MPI_Win_free win=win1
// expect rank all: MPI_Allreduce comm=MPI_COMM_WORLD op=MPI_SUM reads=*+8(1xMPI_DOUBLE) writes=*+8(1xMPI_DOUBLE)
// expect rank all: MPI_Finalize @main
// expect count=1 rank all: MPI_Isend
// expect count=14 rank all: *

static void exchange(double* x, int rank, int size) {
  MPI_Request requests[2];
  MPI_Irecv(&x[0], 1, MPI_DOUBLE, (rank + size - 1) % size, 7, MPI_COMM_WORLD,
            &requests[0]); /*{irecv}*/
  MPI_Isend(&x[1], 1, MPI_DOUBLE, (rank + 1) % size, 7, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double x[2] = {0, rank};
  exchange(x, rank, size); /*{called}*/

  int* base;
  MPI_Win win;
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_fence(0, win);
  MPI_Datatype every_fourth;
  MPI_Type_vector(4, 1, 4, MPI_INT, &every_fourth);
  MPI_Type_commit(&every_fourth);
  int numbers[4] = {1, 2, 3, 4};
  MPI_Put(numbers, 4, MPI_INT, (rank + 1) % size, 3, 1, every_fourth, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  CHECK(base[3] == 1 && base[15] == 4);
  MPI_Type_free(&every_fourth);
  MPI_Win_free(&win);

  double sum;
  MPI_Allreduce(&x[0], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %g\n", sum);
  MPI_Finalize();
}
