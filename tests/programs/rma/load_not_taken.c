// A pending buffer is loaded and stored to only if an argument says so. A compiler may hoist a load
// above its condition, or turn a branch into a select. The tool must not report accesses that the
// program does not make.
#include "rma.h"
// run: ranks=2
// output: got 1 0
// expect no race

static int choose(int condition, const int* one, int other) {
  return condition ? LOAD(*one) : other;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int sent = rank, got = 7, unused = 0;
  MPI_Request requests[2];
  MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&sent, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
  if (argc > 1) unused = LOAD(got);
  unused += choose(argc > 2, &got, 1);
  unused += argc > 3 ? LOAD(got) : unused;
  if (argc > 4) STORE(sent, unused);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  int both[2];
  MPI_Gather(&got, 1, MPI_INT, both, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("got %d %d\n", LOAD(both[0]), LOAD(both[1]));
  MPI_Finalize();
  return unused == 99;
}
