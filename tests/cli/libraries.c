// With -DLIBRARY: a shared library that adds to an array here and there. Otherwise a program that
// has it twice: it uses the one that it is linked with, on memory that another rank puts to, and
// the other one, a file that is its argument, is gone again when it does.
void add(double* values, unsigned seed, int times);

#ifdef LIBRARY
void add(double* values, unsigned seed, int times) {
  for (int i = 0; i < times; ++i) values[(seed = seed * 1103515245 + 12345) >> 22] += 1;
}
#else
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static double memory[1024], own[1024];

int main(int argc, char** argv) {
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  ((void (*)(double*, unsigned, int))dlsym(library, "add"))(own, 1, 10);
  MPI_Init(&argc, &argv);
  dlclose(library);
  int rank;
  double* values = memory;
  MPI_Win win;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    add(values, 7, 4000 + (values[3] > 0));
  else
    MPI_Put(own, 1024, MPI_DOUBLE, 0, 0, 1024, MPI_DOUBLE, win), MPI_Win_flush(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
  unsigned seed = 1;
  double sum = 0;
  for (int i = 0; i < 1000; ++i) sum += memory[(seed = seed * 1103515245 + 12345) >> 22];
  if (rank == 0) printf("%s\n", sum >= 0 ? "added" : "lost");
  MPI_Win_free(&win);
  MPI_Finalize();
}
#endif
