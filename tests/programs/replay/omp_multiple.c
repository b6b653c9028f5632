// OpenMP with MPI_THREAD_MULTIPLE: threads receive from any source and tag, make communicators and
// datatypes, and read clocks, all at the same time.
// run: ranks=3 groups=0;1,2 times=20
// build: flags="-O2 -fopenmp" pass=only
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { kThreads = 3, kMessages = 12 };

int main(int argc, char** argv) {
  int level, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm comms[kThreads];
  for (int i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  char texts[kThreads][kMessages * 32] = {{0}};
  static char all[kThreads * kMessages * 32];
#pragma omp parallel num_threads(kThreads)
  {
    const int thread = omp_get_thread_num();
    char* text = texts[thread];
    MPI_Comm own;
    MPI_Comm_split(comms[thread], rank % 2, rank, &own);
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    for (int i = 0; i < kMessages; ++i) {
      int sent[2] = {rank * 100 + thread, i}, got[2];
      MPI_Request request;
      MPI_Isend(sent, 1, pair, (rank + 1) % ranks, 7, MPI_COMM_WORLD, &request);
      MPI_Status status;
      MPI_Recv(got, 1, pair, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      char word[32];
      snprintf(word, sizeof word, "%d.%d ", got[0], got[1]);
      strcat(text, word);
      int size;
      MPI_Comm_size(own, &size);
      if (i % 4 == 0) {
        snprintf(word, sizeof word, "%.9f ", MPI_Wtime());
        strcat(text, word);
      }
#pragma omp critical
      {
        snprintf(word, sizeof word, "%d:%d.%d ", thread, got[0], size);
        strcat(all, word);
      }
    }
    MPI_Type_free(&pair);
    MPI_Comm_free(&own);
  }
  for (int i = 0; i < kThreads; ++i) printf("%s\n", texts[i]);
  printf("%s\n", all);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
