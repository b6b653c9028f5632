// C++, eight ranks: a halo exchange on a 2 × 4 torus, columns as strided types, from a template and
// a lambda.
#include <cstdio>
#include <vector>
#include "check.h"
// run: ranks=8
// build: flags="-O2 -std=c++17"
// output: halo sum 448
// expect rank all: MPI_Cart_create new=$torus
// expect define rank 0: $torus uid=$TORUS sources={4,4,3,1} destinations={4,4,3,1}
// expect define rank 6: $torus uid=$TORUS sources={2,2,5,7}
// expect rank all: MPI_Type_vector newtype=$column
// expect define rank all: $column size=32 map={+0:8x4/48} element=MPI_DOUBLE
// expect rank 6: MPI_Irecv comm=$torus from=5 request=1 writes=$west{+0:8x4/48}(1x$column) @*operator()*<*exchange*<main
// expect rank 6: MPI_Irecv comm=$torus from=7 request=2 writes=${west+40}{+0:8x4/48}(1x$column)
// expect rank 6: MPI_Isend comm=$torus to=5 request=3 reads=${west+8}{+0:8x4/48}(1x$column)
// expect rank 6: MPI_Isend comm=$torus to=7 request=4 reads=${west+32}{+0:8x4/48}(1x$column)
// expect rank 6: MPI_Waitall requests=[1;2;3;4] done=[1:from=5,tag=1,bytes=32;2:from=7,tag=0,bytes=32;3;4] @*exchange*<main
// expect count=12 rank all: MPI_Irecv

namespace {

template <class T>
struct Field {
  static constexpr int kRows = 4, kColumns = 6;
  std::vector<T> cells = std::vector<T>(kRows * kColumns);

  void exchange(MPI_Comm comm, MPI_Datatype column) {
    int west, east;
    MPI_Cart_shift(comm, 1, 1, &west, &east);
    MPI_Request requests[4];
    const auto receive = [&](int at, int from, int tag, MPI_Request* request) {
      MPI_Irecv(&cells[at], 1, column, from, tag, comm, request);
    };
    receive(0, west, 1, &requests[0]);
    receive(kColumns - 1, east, 0, &requests[1]);
    MPI_Isend(&cells[1], 1, column, west, 0, comm, &requests[2]);
    MPI_Isend(&cells[kColumns - 2], 1, column, east, 1, comm, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  const int sizes[2] = {2, 4}, periods[2] = {1, 1};
  MPI_Comm torus;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &torus);
  MPI_Comm_rank(torus, &rank);
  MPI_Datatype column;
  MPI_Type_vector(Field<double>::kRows, 1, Field<double>::kColumns, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  Field<double> field;
  for (double& cell : field.cells) cell = rank;
  for (int round = 0; round < 6; ++round) field.exchange(torus, column);
  double sum = 0, total = 0;
  for (int row = 0; row < 4; ++row) sum += field.cells[row * 6] + field.cells[row * 6 + 5];
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, torus);
  if (rank == 0) std::printf("halo sum %g\n", total * 2);
  MPI_Type_free(&column);
  MPI_Comm_free(&torus);
  MPI_Finalize();
}
