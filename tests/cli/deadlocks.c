// Three ranks that can never go on, in the way that argv[1] says; or that only look like it: those
// take some seconds, print "done" and end well.
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* way;
static int is(const char* name) { return strcmp(way, name) == 0; }

static int rank, value, *memory;
static MPI_Win win;
static const double kPatience = 4;  // seconds: longer than --deadlock-timeout

static void send(int to) { MPI_Send(&value, 1, MPI_INT, to, 0, MPI_COMM_WORLD); }
static void receive(int from) {
  MPI_Recv(&value, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void lock(void) { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win); }
static void put(void) { MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win); }

static void compute(void) {
  const double end = MPI_Wtime() + kPatience;
  while (MPI_Wtime() < end)
    for (volatile int i = 0; i < 100000; ++i) {
    }
}

static void stuck(void) {
  if (is("ssend")) {
    if (rank < 2) MPI_Ssend(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    if (rank < 2) receive(1 - rank);
  }
  if (is("cycle") || is("second_thread")) receive((rank + 1) % 3);
  if (is("some")) {
    MPI_Request request;
    int count, index;
    MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % 3, 0, MPI_COMM_WORLD, &request);
    MPI_Waitsome(1, &request, &count, &index, MPI_STATUSES_IGNORE);
  }
  if (is("requests")) {
    MPI_Request requests[2];
    MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % 3, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % 3, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  if (is("probe") && rank < 2) MPI_Probe(1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (is("any")) receive(MPI_ANY_SOURCE);
  if (is("finished") && rank == 0) receive(1);
  if (is("finalize") && rank > 0) MPI_Barrier(MPI_COMM_WORLD);
  if (is("collectives")) {
    if (rank == 0)
      receive(1);
    else if (rank == 1)
      MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
      MPI_Barrier(MPI_COMM_WORLD);
  }
  if (is("communicators")) {
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Barrier(rank == 0 ? other : MPI_COMM_WORLD);
  }
  if (is("roots") && rank < 2) MPI_Bcast(&value, 1, MPI_INT, 1 - rank, MPI_COMM_WORLD);
  if (is("lock")) {
    if (rank == 0) lock();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) receive(1);  // and never unlocks
    if (rank == 1) {
      lock();
      put();
      MPI_Win_unlock(0, win);
      send(0);
    }
  }
  if (is("epoch")) {
    if (rank == 0) {  // and rank 1 never starts
      MPI_Group all, other;
      MPI_Comm_group(MPI_COMM_WORLD, &all);
      MPI_Group_incl(all, 1, &(int){1}, &other);
      MPI_Win_post(other, 0, win);
      MPI_Win_wait(win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (is("fence")) {
    if (rank == 0)
      MPI_Win_fence(0, win);
    else
      MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void patient(void) {
  if (is("computes")) {
    if (rank == 0) compute();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (is("sleeps")) {
    if (rank == 0) sleep((unsigned)kPatience);
    if (rank == 0) send(1);
    if (rank == 1) receive(0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (is("polls")) {
    MPI_Request request;
    int done = 0;
    if (rank == 0) {
      MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
      while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      compute();
      send(0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  // Rank 0 is stopped inside a receive. The message is there, and everybody waits.
  if (is("stopped")) {
    if (rank == 0) {
      char line[100];
      snprintf(line, sizeof line, "(sleep 1; kill -STOP %d; sleep %d; kill -CONT %d) &", getpid(),
               (int)kPatience, getpid());
      if (system(line) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
      receive(1);
      send(1);
    }
    if (rank == 1) {
      sleep(2);
      send(0);
      receive(0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (is("holds")) {
    if (rank == 0) lock();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) compute();
    if (rank != 0) lock();
    put();
    MPI_Win_unlock(0, win);
  }
}

static void* sleep_on(void* unused) {
  pause();
  return unused;
}

int main(int argc, char** argv) {
  way = argv[1];
  if (is("second_thread")) {  // which may not call MPI
    int level;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    pthread_create(&thread, NULL, sleep_on, NULL);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int one_sided = is("lock") || is("fence") || is("epoch") || is("holds");
  if (one_sided)
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  if (is("tag") && rank == 0) MPI_Ssend(&value, 1, MPI_INT, 1, -77, MPI_COMM_WORLD);
  if (is("tag") && rank == 1) receive(0);
  stuck();
  patient();
  if (one_sided) MPI_Win_free(&win);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
