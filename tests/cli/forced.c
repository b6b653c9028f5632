// A race with a wrong value, 0 instead of 7, in one order. Arguments: what races (load: with a put;
// thread: the same, in a second thread; store: with a put; get: with a put; buffer: of a receive,
// with a load; message: two senders), and what the wrong value leads to (print, crash, hang).
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;

static void use(int got, const char* effect) {
  int nothing;
  if (strcmp(effect, "crash") == 0 && got == 0) abort();
  if (strcmp(effect, "hang") == 0 && got == 0)
    MPI_Recv(&nothing, 1, MPI_INT, (rank + 1) % 3, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("rank %d got %d\n", rank, got);
}

// Two threads draw tickets. Which one draws which is printed, so a replay needs their order.
static atomic_int tickets;

static int draw_tickets(void) {
  int sum = 0;
  for (int i = 0; i < 50; ++i) {
    sum += atomic_fetch_add(&tickets, 1);
    sched_yield();
  }
  return sum;
}

struct Shared {
  int* memory;
  MPI_Win win;
  int got;
};

static void* run_thread(void* argument) {
  struct Shared* shared = argument;
  MPI_Win_sync(shared->win);
  printf("tickets of the thread: %d\n", draw_tickets());
  shared->got = shared->memory[0]; /* loads in a thread */
  return NULL;
}

static void with_thread(int* memory, MPI_Win win, const char* effect) {
  struct Shared shared = {memory, win, -1};
  pthread_t thread;
  pthread_create(&thread, NULL, run_thread, &shared);
  draw_tickets();
  pthread_join(thread, NULL);
  use(shared.got, effect);
}

static void with_window(const char* what, const char* effect) {
  int seven = 7, got = 0, *memory;
  MPI_Win win;
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memory[0] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 1) {
    MPI_Put(&seven, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* puts */
    MPI_Win_flush(0, win);
  }
  if (rank == 2 && strcmp(what, "get") == 0) {
    usleep(100000);
    MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* gets */
    MPI_Win_flush(0, win);
    use(got, effect);
  }
  if (rank == 0 && strcmp(what, "load") == 0) {
    usleep(100000);
    got = memory[0]; /* loads */
    use(got, effect);
  }
  if (rank == 0 && strcmp(what, "thread") == 0) with_thread(memory, win, effect);
  if (rank == 0 && strcmp(what, "store") == 0) {
    usleep(100000);
    memory[0] = 0; /* stores */
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && strcmp(what, "store") == 0) use(memory[0], effect);
  MPI_Win_free(&win);
}

static void with_buffer(const char* effect) {
  int number = 7, got = 0;
  MPI_Request request;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Send(&number, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
  if (rank == 0) {
    number = 0;
    MPI_Irecv(&number, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request); /* receives */
    got = number;                                                   /* looks */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(got, effect);
  }
}

static void with_messages(const char* effect) {
  int number = rank == 1 ? 7 : 0, got[2];
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 2) usleep(100000);
  if (rank > 0) MPI_Send(&number, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
  if (rank == 0) {
    for (int i = 0; i < 2; ++i)
      MPI_Recv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, /* takes */
               MPI_STATUS_IGNORE);
    use(got[0], effect);
  }
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv,
                  strcmp(argv[1], "thread") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(argv[1], "buffer") == 0)
    with_buffer(argv[2]);
  else if (strcmp(argv[1], "message") == 0)
    with_messages(argv[2]);
  else
    with_window(argv[1], argv[2]);
  MPI_Finalize();
  return 0;
}
