// Handlers of the program's own: one from before MPI_Init, with a restarted read and the sender's
// value; one from after it, which calls the one before it if there was one. Then a thread whose
// last destructor calls MPI.
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t value, checkpoints;
static struct sigaction before;

static void on_hangup(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  value = info->si_value.sival_int;
}
static void on_term(int signal, siginfo_t* info, void* context) {
  ++checkpoints;
  if (before.sa_flags & SA_SIGINFO)
    before.sa_sigaction(signal, info, context);
  else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    before.sa_handler(signal);
}
static void last_words(void* argument) {
  (void)argument;
  int one = 1, sum;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}
static void* thread(void* key) {
  MPI_Barrier(MPI_COMM_SELF);
  pthread_setspecific(*(pthread_key_t*)key, "set");
  return NULL;
}

int main(int argc, char** argv) {
  struct sigaction action = {.sa_sigaction = on_hangup, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGHUP, &action, NULL);
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  action = (struct sigaction){.sa_sigaction = on_term, .sa_flags = SA_SIGINFO};
  sigaction(SIGTERM, &action, &before);

  raise(SIGTERM);
  raise(SIGTERM);
  sigqueue(getpid(), SIGHUP, (union sigval){.sival_int = 42});
  printf("checkpoints %d value %d\n", (int)checkpoints, (int)value);

  pthread_key_t key;
  pthread_key_create(&key, last_words);
  pthread_t worker;
  pthread_create(&worker, NULL, thread, &key);
  pthread_join(worker, NULL);
  printf("joined\n");
  MPI_Finalize();
  return 0;
}
