// Two halves of the world communicate through an intercommunicator, by messages and collectives,
// and merge.
#include "check.h"
// run: ranks=5
// output: the others sum to 7, 5 in all
// expect rank all: MPI_Comm_split new=$half
// expect rank all: MPI_Intercomm_create comm=$half key=9 new=$inter
// expect define rank 0,1: $inter uid=$INTER group={0-1} remote={2-4}
// expect define rank 2-4: $inter uid=$INTER group={2-4} remote={0-1}
// expect rank 1: MPI_Send comm=$inter to=4 tag=1
// expect rank 4: MPI_Recv comm=$inter from=1 tag=1 matched=1
// expect rank 0: MPI_Bcast comm=$inter root=ROOT reads=*+4(1xMPI_INT)
// expect rank 1: MPI_Bcast comm=$inter root=NULL !reads=* !writes=*
// expect rank 2-4: MPI_Bcast comm=$inter root=0 writes=*+4(1xMPI_INT)
// expect rank 0,1: MPI_Allgather reads=*+4(1xMPI_INT) writes=*+12(3xMPI_INT)
// expect rank 2-4: MPI_Allgather reads=*+4(1xMPI_INT) writes=*+8(2xMPI_INT)
// expect rank 0: MPI_Gather root=NULL !reads=* !writes=*
// expect rank 1: MPI_Gather root=ROOT writes=*+12(3xMPI_INT) !reads=*
// expect rank 2-4: MPI_Gather root=1 reads=*+4(1xMPI_INT) !writes=*
// expect rank 1: MPI_Reduce root=ROOT op=MPI_SUM writes=*+4(1xMPI_INT) !reads=*
// expect rank 3: MPI_Reduce root=1 reads=*+4(1xMPI_INT) !writes=*
// expect rank 0: MPI_Alltoall reads=*+12(3xMPI_INT) writes=*+12(3xMPI_INT)
// expect rank 4: MPI_Alltoall reads=*+8(2xMPI_INT) writes=*+8(2xMPI_INT)
// expect rank 0,1: MPI_Reduce_scatter_block reads=*+24(6xMPI_INT) writes=*+12(3xMPI_INT)
// expect rank 2-4: MPI_Reduce_scatter_block reads=*+24(6xMPI_INT) writes=*+8(2xMPI_INT)
// expect rank all: MPI_Barrier comm=$inter
// expect rank all: MPI_Intercomm_merge comm=$inter new=$merged
// expect define rank all: $merged uid=$MERGED group={2-4,0-1} parent=$inter
// expect rank all: MPI_Allreduce comm=$merged
// expect rank all: MPI_Comm_dup comm=$inter new=$twin
// expect define rank all: $twin uid=$TWIN
// expect rank all: MPI_Comm_remote_group comm=$inter newgroup={*}
// expect rank 0: MPI_Group_free group={2-4}
// expect distinct: $INTER $MERGED $TWIN

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, value, sum = 0, all[6], out[6] = {1, 1, 1, 1, 1, 1};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int high = rank >= 2;
  MPI_Comm half, inter, merged, twin;
  MPI_Comm_split(MPI_COMM_WORLD, high, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, high ? 0 : 2, 9, &inter);
  value = rank;
  if (rank == 1) MPI_Send(&value, 1, MPI_INT, 2, 1, inter);
  if (rank == 4) MPI_Recv(all, 1, MPI_INT, 1, 1, inter, MPI_STATUS_IGNORE);
  int root = high ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  int cast = 42 * !high;
  MPI_Bcast(&cast, 1, MPI_INT, root, inter);
  CHECK(rank == 1 || cast == 42);
  MPI_Allgather(&value, 1, MPI_INT, all, 1, MPI_INT, inter);
  CHECK(all[0] == (high ? 0 : 2));
  root = high ? 1 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, root, inter);
  MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, root, inter);
  if (rank == 1) CHECK(sum == 9);
  MPI_Alltoall(out, 1, MPI_INT, all, 1, MPI_INT, inter);
  MPI_Reduce_scatter_block(out, all, high ? 2 : 3, MPI_INT, MPI_SUM, inter);
  CHECK(all[0] == (high ? 2 : 3));
  MPI_Barrier(inter);
  MPI_Intercomm_merge(inter, !high, &merged);
  int one = 1, count;
  MPI_Allreduce(&one, &count, 1, MPI_INT, MPI_SUM, merged);
  MPI_Comm_dup(inter, &twin);
  MPI_Group others;
  MPI_Comm_remote_group(inter, &others);
  MPI_Group_free(&others);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
  if (rank == 1) printf("the others sum to %d, %d in all\n", sum - 2, count);
  MPI_Finalize();
}
