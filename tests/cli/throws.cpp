// An error handler that throws through MPI, as C++ programs do: what comes afterwards is on record,
// too.
#include <mpi.h>

#include <cstdio>

static void fail(MPI_Comm*, int*, ...) { throw 1; }

static void deeper() { MPI_Barrier(MPI_COMM_WORLD); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(fail, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  try {
    MPI_Send(&argc, 1, MPI_INT, 999, 0, MPI_COMM_WORLD);
  } catch (int) {
    std::printf("caught\n");
  }
  deeper();
  MPI_Finalize();
}
