// CHECK for test programs: says what went wrong, and the program fails.
#pragma once
#include <mpi.h>
#include <stdio.h>

#define CHECK(condition)                                                     \
  do {                                                                       \
    if (!(condition)) {                                                      \
      fprintf(stderr, "%s:%d: wrong: %s\n", __FILE__, __LINE__, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 99);                                         \
    }                                                                        \
  } while (0)
