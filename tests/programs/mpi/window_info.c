// Info keys that restrict accumulates, set when the window is made and later.
#include "check.h"
// run: ranks=2
// output: info given
// expect rank all: MPI_Win_allocate newwin=$plain
// expect rank all: MPI_Win_allocate newwin=$strict
// expect define rank all: $strict accumulate_ops=same_op accumulate_ordering=none
// expect rank all: MPI_Win_create_dynamic newwin=$later
// expect define rank all: $later accumulate_ops=same_op
// expect rank all: MPI_Win_set_info win=$later

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, *base;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win plain, strict, later;
  MPI_Win_allocate(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &plain);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "accumulate_ops", "same_op");
  MPI_Info_set(info, "accumulate_ordering", "none");
  MPI_Win_allocate(8, 4, info, MPI_COMM_WORLD, &base, &strict);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &later);
  MPI_Info_delete(info, "accumulate_ordering");
  MPI_Win_set_info(later, info);
  MPI_Info_free(&info);
  MPI_Win_free(&later);
  MPI_Win_free(&strict);
  MPI_Win_free(&plain);
  if (rank == 0) printf("info given\n");
  MPI_Finalize();
}
