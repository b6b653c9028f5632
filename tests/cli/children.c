// A rank that starts a program of its own: it must not inherit the preload library.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (system("echo \"child LD_PRELOAD=[$LD_PRELOAD]\"") != 0) return 1;
  MPI_Finalize();
  return 0;
}
