// Fences with their assertions, and post, start, complete, wait and test with groups.
#include "check.h"
// run: ranks=3
// output: epochs right
// expect rank all: MPI_Win_create newwin=$win
// expect rank all: MPI_Win_fence win=$win assert=NOPRECEDE
// expect rank all: MPI_Win_fence win=$win assert=NOSTORE|NOPUT
// expect rank all: MPI_Win_fence win=$win assert=NOSTORE|NOPUT|NOPRECEDE|NOSUCCEED
// expect rank 0: MPI_Win_post win=$win assert=NOPUT group={1-2}
// expect rank 0: MPI_Win_wait win=$win
// expect rank 1,2: MPI_Win_start win=$win assert=0 group={0}
// expect rank 1,2: MPI_Get win=$win target=0
// expect rank 1,2: MPI_Win_complete win=$win
// expect rank 0: MPI_Win_post win=$win assert=0 group={2,1}
// expect rank 0: MPI_Win_test win=$win flag=0
// expect rank 0: MPI_Win_test win=$win flag=1
// expect rank 2: MPI_Win_start win=$win assert=0 group={0}
// expect rank 2: MPI_Put win=$win target=0
// expect rank 2: MPI_Win_complete win=$win
// expect rank 1: MPI_Win_post group={} assert=0
// expect rank 1: MPI_Win_wait

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, got = 0;
  _Alignas(64) int memory[4] = {0};  // MPICH 4.0 with UCX fails for windows that begin elsewhere
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, win);
  MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, win);

  MPI_Group world, others, backwards, zero;
  const int one_two[2] = {1, 2}, two_one[2] = {2, 1}, only_zero[1] = {0};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, one_two, &others);
  MPI_Group_incl(world, 2, two_one, &backwards);
  MPI_Group_incl(world, 1, only_zero, &zero);
  memory[0] = 5;
  if (rank == 0) {
    MPI_Win_post(others, MPI_MODE_NOPUT, win);
    MPI_Win_wait(win);
    MPI_Win_post(backwards, 0, win);
    int flag;
    MPI_Win_test(win, &flag);
    CHECK(!flag);
    MPI_Barrier(MPI_COMM_WORLD);
    while (!flag) MPI_Win_test(win, &flag);
    CHECK(memory[1] == 1 && memory[2] == 2);
  } else {
    MPI_Win_start(zero, 0, win);
    MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    CHECK(got == 5);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_start(zero, 0, win);
    MPI_Put(&rank, 1, MPI_INT, 0, rank, 1, MPI_INT, win);
    MPI_Win_complete(win);
  }
  if (rank == 1) {
    MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
    MPI_Win_wait(win);
  }
  MPI_Group_free(&zero);
  MPI_Group_free(&backwards);
  MPI_Group_free(&others);
  MPI_Group_free(&world);
  MPI_Win_free(&win);
  if (rank == 0) printf("epochs right\n");
  MPI_Finalize();
}
