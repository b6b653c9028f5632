// Correct: data goes from hand to hand by the forms that try and that give up: spin lock, mutex,
// semaphore and condition variable.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>

#include "hybrid.h"
// build: flags="-pthread"
// run: ranks=2
// output: 15
// expect no race
enum { kSteps = 4 };
static pthread_spinlock_t spin;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int values[kSteps][16], mine[16], there[kSteps];
static int sum;

static struct timespec later(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 1000000;
  if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, ++until.tv_sec;
  return until;
}

static void by_spin_lock(void) {
  for (int found = 0; found == 0; sched_yield()) {
    if (pthread_spin_trylock(&spin) != 0) continue;
    found = there[0];
    pthread_spin_unlock(&spin);
  }
  sum += values[0][1];
}

static void by_mutex(void) {
  for (int found = 0; found == 0; sched_yield()) {
    const struct timespec until = later();
    if (pthread_mutex_trylock(&mutex) != 0 && pthread_mutex_timedlock(&mutex, &until) != 0)
      continue;
    found = there[1];
    pthread_mutex_unlock(&mutex);
  }
  sum += values[1][1];
}

static void by_semaphore(void) {
  for (;;) {
    const struct timespec until = later();
    if (sem_trywait(&semaphore) == 0 || sem_timedwait(&semaphore, &until) == 0) break;
  }
  sum += values[2][1];
}

static void by_condition(void) {
  pthread_mutex_lock(&mutex);
  while (!there[3]) {
    const struct timespec until = later();
    pthread_cond_timedwait(&changed, &mutex, &until);
  }
  pthread_mutex_unlock(&mutex);
  sum += values[3][1];
}

static void* reader(void* unused) {
  by_spin_lock();
  by_mutex();
  by_semaphore();
  by_condition();
  return unused;
}

static void receive(int step) {
  mine[1] = 1 << step;
  MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, step, values[step], 16, MPI_INT, 1 - rank, step,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  sem_init(&semaphore, 0, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, reader, NULL);
  receive(0);
  pthread_spin_lock(&spin);
  there[0] = 1;
  pthread_spin_unlock(&spin);
  receive(1);
  pthread_mutex_lock(&mutex);
  there[1] = 1;
  pthread_mutex_unlock(&mutex);
  receive(2);
  sem_post(&semaphore);
  receive(3);
  pthread_mutex_lock(&mutex);
  there[3] = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  if (rank == 0) printf("%d\n", sum);
  MPI_Finalize();
  return 0;
}
