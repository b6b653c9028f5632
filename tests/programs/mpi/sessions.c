// MPI without MPI_Init: two sessions, and a communicator of each.
#include <mpi.h>
#include <stdio.h>
// run: ranks=3 mpi=mpich
// output: session sums 3 6
// expect rank all: MPI_Session_init session=1
// expect rank all: MPI_Group_from_session_pset session=1 newgroup={0-2}
// expect rank all: MPI_Comm_create_from_group group={0-2} new=$first
// expect define rank all: $first uid=$FIRST group={0-2}
// expect rank all: MPI_Session_init session=2
// expect rank all: MPI_Comm_create_from_group group={0-2} new=$second
// expect define rank all: $second uid=$SECOND group={0-2}
// expect rank all: MPI_Allreduce comm=$first op=MPI_SUM
// expect rank 1: MPI_Send comm=$first to=2
// expect rank 2: MPI_Recv comm=$first from=1 matched=1
// expect rank all: MPI_Allreduce comm=$second op=MPI_SUM
// expect rank all: MPI_Comm_free comm=$first
// expect rank all: MPI_Session_finalize session=1
// expect rank all: MPI_Session_finalize session=2
// expect distinct: $FIRST $SECOND
// expect end rank all: exit 0

static MPI_Comm open_session(const char* name, MPI_Session* session) {
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session);
  MPI_Group_from_session_pset(*session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Group_free(&group);
  return comm;
}

int main(void) {
  MPI_Session first, second;
  MPI_Comm one = open_session("one", &first), two = open_session("two", &second);
  int rank, value, sums[2];
  MPI_Comm_rank(one, &rank);
  MPI_Allreduce(&rank, &sums[0], 1, MPI_INT, MPI_SUM, one);
  value = rank;
  if (rank == 1) MPI_Send(&value, 1, MPI_INT, 2, 0, one);
  if (rank == 2) MPI_Recv(&value, 1, MPI_INT, 1, 0, one, MPI_STATUS_IGNORE);
  value = 2 * rank;
  MPI_Allreduce(&value, &sums[1], 1, MPI_INT, MPI_SUM, two);
  if (rank == 0) printf("session sums %d %d\n", sums[0], sums[1]);
  MPI_Comm_free(&one);
  MPI_Session_finalize(&first);
  MPI_Comm_free(&two);
  MPI_Session_finalize(&second);
  return 0;
}
