// Two threads read the clock before MPI_Init: a replay returns the values that the first thread
// read.
// run: ranks=2 groups=0;0,1
// build: flags="-pthread"
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void* look(void* last) {
  for (int i = 0; i < 5000; ++i) *(long long*)last = now();
  return NULL;
}

int main(int argc, char** argv) {
  long long seen[100], last = 0;
  pthread_t other;
  pthread_create(&other, NULL, look, &last);
  for (int i = 0; i < 100; ++i) seen[i] = now();
  pthread_join(other, NULL);
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 100; ++i) printf("%lld\n", seen[i]);
  MPI_Finalize();
  return 0;
}
