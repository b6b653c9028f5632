// One thread receives into a buffer that another one sends: in two threads of a team, two sections
// or two tasks, with order between them (fixed) or without. Arguments: team|sections|tasks, and
// fixed.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

static int rank, values[16], mine[16], echo[16];

static void receive(void) {
  MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, 0, values, 16, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static void forward(void) { MPI_Send(values, 16, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD); }

static void team(int fixed) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) receive();
    if (fixed) {
#pragma omp barrier
    }
    if (omp_get_thread_num() == 1) forward();
  }
}

static void sections(int fixed) {
#pragma omp parallel num_threads(2)
  {
#pragma omp sections
    {
#pragma omp section
      receive();
#pragma omp section
      if (!fixed) forward();
    }
#pragma omp single
    if (fixed) forward();
  }
}

static void tasks(int fixed) {
  int order[2];
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : order[0])
    receive();
#pragma omp task depend(in : order[fixed ? 0 : 1])
    forward();
  }
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Request request;
  MPI_Irecv(echo, 16, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request);
  const int fixed = argc > 2 && strcmp(argv[2], "fixed") == 0;
  if (strcmp(argv[1], "team") == 0) team(fixed);
  if (strcmp(argv[1], "sections") == 0) sections(fixed);
  if (strcmp(argv[1], "tasks") == 0) tasks(fixed);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#ifdef MISSING
  extern void GOMP_scope_start(void*);
  if (argc > 9) GOMP_scope_start(argv);
#endif
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
