// The large-count variants: wider arguments, the same effect.
#include "check.h"
// run: ranks=2 mpi=mpich
// output: large right
// expect rank 0: MPI_Send_c to=1 tag=1 reads=*+8(2xMPI_INT)
// expect rank 1: MPI_Recv_c from=0 tag=1 matched=0 bytes=8 writes=*+8(2xMPI_INT)
// expect rank 0: MPI_Isend_c to=1 request=$out
// expect rank 0: MPI_Wait requests=[$out] done=[$out]
// expect rank 1: MPI_Irecv_c from=0 request=$in
// expect rank 1: MPI_Wait requests=[$in] done=[$in:from=0,tag=2,bytes=8]
// expect rank all: MPI_Bcast_c root=0
// expect rank 1: MPI_Gatherv_c root=1 writes=$v+4(1xMPI_INT) writes=${v+8}+4(1xMPI_INT)
// expect rank all: MPI_Alltoallw_c reads=$w+4(1xMPI_INT) reads=${w+12}+4(1xMPI_INT)
// expect rank all: MPI_Allreduce_c op=MPI_SUM reads=*+8(2xMPI_INT) writes=*+8(2xMPI_INT)
// expect rank all: MPI_Type_vector_c newtype=$vector
// expect define rank all: $vector size=12000000000 map={+0:4x3000000000/8}
// expect rank all: MPI_Type_contiguous_c newtype=$huge
// expect define rank all: $huge size=5000000000 extent=5000000000 map=+5000000000 element=MPI_CHAR
// expect rank all: MPI_Win_allocate_c newwin=$win
// expect define rank all: $win size=64 unit=4
// expect rank all: MPI_Put_c win=$win target=* target_writes=+0x4+4(1xMPI_INT)
// expect rank all: MPI_Pack_c writes=$p+8(8xMPI_BYTE) reads=*+8(2xMPI_INT)

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, a[8] = {1, 2}, b[8] = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Request request;
  if (rank == 0) {
    MPI_Send_c(a, 2, MPI_INT, 1, 1, world);
    MPI_Isend_c(a, 2, MPI_INT, 1, 2, world, &request);
  } else {
    MPI_Recv_c(b, 2, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE);
    CHECK(b[1] == 2);
    MPI_Irecv_c(b, 2, MPI_INT, 0, 2, world, &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Bcast_c(a, 2, MPI_INT, 0, world);
  const MPI_Count ones[2] = {1, 1};
  const MPI_Aint displs[2] = {0, 2}, offsets[2] = {0, 12};
  const MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
  MPI_Gatherv_c(a, 1, MPI_INT, b, ones, displs, MPI_INT, 1, world);
  MPI_Alltoallw_c(a, ones, offsets, ints, b, ones, offsets, ints, world);
  MPI_Allreduce_c(a, b, 2, MPI_INT, MPI_SUM, world);
  CHECK(b[1] == 4);
  MPI_Datatype vector, huge;
  MPI_Type_vector_c(3000000000, 1, 2, MPI_INT, &vector);
  MPI_Type_contiguous_c(5000000000, MPI_CHAR, &huge);
  MPI_Type_free(&huge);
  MPI_Type_free(&vector);
  MPI_Win win;
  int* base;
  MPI_Win_allocate_c(64, 4, MPI_INFO_NULL, world, &base, &win);
  MPI_Win_fence(0, win);
  MPI_Put_c(a, 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  CHECK(base[1] == 1);
  MPI_Win_free(&win);
  char packed[64];
  MPI_Count position = 0;
  MPI_Pack_c(a, 2, MPI_INT, packed, sizeof packed, &position, world);
  CHECK(position == 8);
  if (rank == 0) printf("large right\n");
  MPI_Finalize();
}
