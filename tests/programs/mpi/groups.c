// Every way to make a group, in world ranks.
#include "check.h"
// run: ranks=8
// output: groups done
// expect rank all: MPI_Comm_group comm=MPI_COMM_WORLD newgroup={0-7}
// expect rank all: MPI_Group_incl group={0-7} newgroup={6,1-2}
// expect rank all: MPI_Group_excl group={0-7} newgroup={0,3-5,7}
// expect rank all: MPI_Group_range_incl group={0-7} newgroup={0,2,4,6}
// expect rank all: MPI_Group_range_excl group={0-7} newgroup={1,3,5,7}
// expect rank all: MPI_Group_union group={6,1-2} newgroup={6,1-2,0,4}
// expect rank all: MPI_Group_intersection group={6,1-2} newgroup={6,2}
// expect rank all: MPI_Group_difference group={6,1-2} newgroup={1}
// expect rank all: MPI_Group_difference group={6,1-2} newgroup={}
// expect rank 0,2,4,6: MPI_Comm_create group={0,2,4,6} new=$even
// expect rank 0,2,4,6: MPI_Win_get_group newgroup={0,2,4,6}
// expect rank 0,2,4,6: MPI_Comm_group comm=$even newgroup={0,2,4,6}
// expect rank all: MPI_Group_free group={0-7}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Group world, three, others, even, odd, either, both, one, none, of_win, of_comm;
  const int members[3] = {6, 1, 2};
  int range[1][3] = {{0, 7, 2}};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 3, members, &three);
  MPI_Group_excl(world, 3, members, &others);
  MPI_Group_range_incl(world, 1, range, &even);
  MPI_Group_range_excl(world, 1, range, &odd);
  MPI_Group_union(three, even, &either);
  MPI_Group_intersection(three, even, &both);
  MPI_Group_difference(three, even, &one);
  MPI_Group_difference(three, three, &none);
  MPI_Group_size(none, &size);
  CHECK(size == 0);
  MPI_Comm comm;
  MPI_Comm_create(MPI_COMM_WORLD, even, &comm);
  if (comm != MPI_COMM_NULL) {
    MPI_Win win;
    MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win);
    MPI_Win_get_group(win, &of_win);
    MPI_Comm_group(comm, &of_comm);
    MPI_Group_free(&of_win);
    MPI_Group_free(&of_comm);
    MPI_Win_free(&win);
    MPI_Comm_free(&comm);
  }
  MPI_Group* all[] = {&three, &others, &even, &odd, &either, &both, &one, &world};
  for (int i = 0; i < 8; ++i) MPI_Group_free(all[i]);
  if (rank == 0) printf("groups done\n");
  MPI_Finalize();
}
