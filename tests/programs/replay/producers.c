// Producers and consumers with a mutex and conditions, timed and try forms, a semaphore, a barrier
// and pthread_once. The main thread sends on what the consumers made of it.
// run: ranks=2 groups=0;0,1 times=20
// build: flags="-O2 -pthread"
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kProducers = 2, kConsumers = 2, kItems = 50, kRoom = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t done;
static int queue[kRoom], used, made, taken, busy, timeouts;
static char text[kProducers * kItems * 24], who[64];
static __thread int self;

static void first(void) { snprintf(who, sizeof who, "thread %d was first", self); }

static void* produce(void* number) {
  self = *(int*)number;
  pthread_once(&once, first);
  for (int i = 0; i < kItems; ++i) {
    pthread_mutex_lock(&lock);
    while (used == kRoom) pthread_cond_wait(&not_full, &lock);
    queue[used++] = self * 1000 + i;
    ++made;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
    if (pthread_mutex_trylock(&other) == 0) {
      usleep(20);
      pthread_mutex_unlock(&other);
    } else {
      __atomic_add_fetch(&busy, 1, __ATOMIC_SEQ_CST);
    }
  }
  sem_post(&done);
  return NULL;
}

static void* consume(void* number) {
  self = *(int*)number;
  pthread_once(&once, first);
  const int serial = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
  for (;;) {
    pthread_mutex_lock(&lock);
    while (used == 0 && taken < kProducers * kItems) {
      struct timespec until;
      clock_gettime(CLOCK_REALTIME, &until);
      until.tv_nsec += 300000;
      if (until.tv_nsec >= 1000000000) ++until.tv_sec, until.tv_nsec -= 1000000000;
      if (pthread_cond_timedwait(&not_empty, &lock, &until) != 0) ++timeouts;
    }
    if (used == 0) break;
    char word[24];
    snprintf(word, sizeof word, "%d%s%d ", self, serial ? "!" : ":", queue[--used]);
    strcat(text, word);
    if (++taken == kProducers * kItems) pthread_cond_broadcast(&not_empty);
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int argc, char** argv) {
  int level, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_barrier_init(&barrier, NULL, kConsumers);
  sem_init(&done, 0, 0);
  pthread_t threads[kProducers + kConsumers];
  int numbers[kProducers + kConsumers];
  for (int i = 0; i < kProducers + kConsumers; ++i) {
    numbers[i] = i;
    pthread_create(&threads[i], NULL, i < kProducers ? produce : consume, &numbers[i]);
  }
  int polls = 0;
  for (int ended = 0; ended < kProducers;) {
    if (sem_trywait(&done) == 0)
      ++ended;
    else
      ++polls, usleep(200);
  }
  for (int i = 0; i < kProducers + kConsumers; ++i) pthread_join(threads[i], NULL);
  static char theirs[sizeof text];
  MPI_Sendrecv(text, sizeof text, MPI_CHAR, 1 - rank, 0, theirs, sizeof theirs, MPI_CHAR, 1 - rank,
               0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("%s\n%s\n%s, %d polls, %d timeouts\n", text, theirs, who, polls, timeouts);
  MPI_Finalize();
  return 0;
}
