// Every way to make a communicator: ranks in calls are translated to world ranks, and all members
// agree on the uid of each communicator.
#include "check.h"
// run: ranks=6
// output: made them all
// expect define rank all: $dup uid=$DUP group={0-5} parent=MPI_COMM_WORLD
// expect rank all: MPI_Comm_dup comm=MPI_COMM_WORLD new=$dup
// expect rank 4: MPI_Send comm=$dup to=1 tag=0
// expect rank 1: MPI_Recv comm=$dup from=4 matched=4
// expect rank 0,2,4: MPI_Comm_split comm=$dup color=0 new=$half
// expect rank 1,3,5: MPI_Comm_split comm=$dup color=1 new=$half
// expect define rank 0,2,4: $half uid=$EVEN group={4,2,0} parent=$dup
// expect define rank 1,3,5: $half uid=$ODD group={5,3,1} parent=$dup
// expect rank 0: MPI_Bcast comm=$half root=4 writes=*+4(1xMPI_INT)
// expect rank 4: MPI_Bcast comm=$half root=4 reads=*+4(1xMPI_INT)
// expect rank 1: MPI_Bcast comm=$half root=5 writes=*+4(1xMPI_INT)
// expect rank all: MPI_Comm_split_type comm=MPI_COMM_WORLD new=$node
// expect define rank all: $node uid=$NODE group={0-5}
// expect rank 1-5: MPI_Comm_split color=7 new=$named
// expect define rank 1-5: $named uid=$NAMED group={1-5}
// expect rank 0: MPI_Comm_split new=null
// expect rank 1-3: MPI_Comm_create group={3,1-2} new=$created
// expect define rank 1-3: $created uid=$CREATED group={3,1-2}
// expect rank 0,4,5: MPI_Comm_create group={3,1-2} new=null
// expect rank 1-3: MPI_Comm_create_group group={3,1-2} key=5 new=$grouped
// expect define rank 1-3: $grouped uid=$GROUPED group={3,1-2}
// expect rank 2: MPI_Sendrecv comm=$grouped to=3 from=1 matched=1
// expect rank all: MPI_Comm_set_name comm=$node
// expect rank all: MPI_Comm_dup_with_info new=$copy
// expect define rank all: $copy uid=$COPY group={0-5}
// expect rank all: MPI_Comm_free comm=$copy
// expect rank all: MPI_Comm_dup new=$again
// expect define rank all: $again uid=$AGAIN group={0-5}
// expect distinct: $DUP $EVEN $ODD $NODE $CREATED $GROUPED $COPY $AGAIN

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, value = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm dup, half, node, without_zero, created, grouped = MPI_COMM_NULL, copy, again;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  if (rank == 4) MPI_Send(&value, 1, MPI_INT, 1, 0, dup);
  if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 4, 0, dup, MPI_STATUS_IGNORE);
  MPI_Comm_split(dup, rank % 2, -rank, &half);
  MPI_Bcast(&value, 1, MPI_INT, 0, half);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 7, rank, &without_zero);
  CHECK((without_zero == MPI_COMM_NULL) == (rank == 0));

  MPI_Group world_group, three;
  const int members[3] = {3, 1, 2};
  MPI_Comm_group(MPI_COMM_WORLD, &world_group);
  MPI_Group_incl(world_group, 3, members, &three);
  MPI_Comm_create(MPI_COMM_WORLD, three, &created);
  if (rank >= 1 && rank <= 3) {
    MPI_Comm_create_group(MPI_COMM_WORLD, three, 5, &grouped);
    int me, in = -1;
    MPI_Comm_rank(grouped, &me);
    MPI_Sendrecv(&rank, 1, MPI_INT, (me + 1) % 3, 1, &in, 1, MPI_INT, (me + 2) % 3, 1, grouped,
                 MPI_STATUS_IGNORE);
    CHECK(in == members[(me + 2) % 3]);
    MPI_Comm_free(&grouped);
    MPI_Comm_free(&created);
  }
  MPI_Comm_set_name(node, "halo");
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copy);
  MPI_Comm_free(&copy);
  MPI_Comm_dup(MPI_COMM_WORLD, &again);
  MPI_Barrier(again);

  MPI_Comm_free(&again);
  MPI_Comm_free(&node);
  MPI_Comm_free(&half);
  MPI_Comm_free(&dup);
  if (rank != 0) MPI_Comm_free(&without_zero);
  MPI_Group_free(&three);
  MPI_Group_free(&world_group);
  if (rank == 0) printf("made them all\n");
  MPI_Finalize();
}
