// Ranks 0 and 1 put to the same bytes of rank 2, under shared locks; rank 2 prints what it has.
//
//   confirmed DIRECTORY [same]
//
// same: both put the same value. A fault happens to a run for which DIRECTORY/fault holds two
// words: what rank 1 does (abort, segv, kill, stop: for 5 s, disk: it fills the file system of
// DIRECTORY/full), and when (before or after the puts). Once a run has had it, DIRECTORY/fault is
// removed, unless there is DIRECTORY/always.
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kStopSeconds = 5 };

static const char* directory;

static const char* path(const char* name) {
  static char text[4096];
  snprintf(text, sizeof text, "%s/%s", directory, name);
  return text;
}

// SIGCONT comes from a timer: a stopped process cannot send it to itself.
static void stop(void) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
  struct itimerspec when = {.it_value = {.tv_sec = kStopSeconds}};
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
      timer_settime(timer, 0, &when, NULL) != 0)
    abort();
  raise(SIGSTOP);
}

static void fill(void) {
  static char block[4096];
  const int file = open(path("full"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  while (write(file, block, sizeof block) > 0) {
  }
  while (write(file, block, 1) > 0) {
  }
  close(file);
}

static void fault(const char* now) {
  char what[16] = "", when[16] = "";
  FILE* const file = fopen(path("fault"), "r");
  if (file == NULL) return;
  const int words = fscanf(file, "%15s %15s", what, when);
  fclose(file);
  if (words != 2 || strcmp(when, now) != 0) return;
  if (access(path("always"), F_OK) != 0) unlink(path("fault"));
  if (strcmp(what, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  if (strcmp(what, "segv") == 0) *(volatile int*)8 = 1;
  if (strcmp(what, "kill") == 0) raise(SIGKILL);
  if (strcmp(what, "stop") == 0) stop();
  if (strcmp(what, "disk") == 0) fill();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  directory = argv[1];
  const int same = argc > 2 && strcmp(argv[2], "same") == 0;
  int rank, value, *memory;
  MPI_Win win;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  *memory = 0;
  value = same ? 5 : rank + 1;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) fault("before");
  if (rank < 2) {
    MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
    MPI_Put(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, win);
    MPI_Win_unlock(2, win);
  }
  if (rank == 1) fault("after");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 2) printf("rank 2 has %d\n", *memory);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
