// A thread writes the buffer of another thread's put as soon as it is notified that the put has
// started, and before the put completes. Fixed: it is notified after the put is complete.
#include <pthread.h>

#include "../rma/rma.h"
// run: ranks=2
// output: done
// expect race: load @{put} store @{store}

static int value = 1;
static pthread_barrier_t made;

static void* change(void* unused) {
  pthread_barrier_wait(&made);
  value = 2; /*{store}*/
  pthread_barrier_wait(&made);
  return unused;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(1, &win);
  pthread_barrier_init(&made, NULL, 2);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
#ifdef FIXED
    MPI_Win_flush(1, win);
#endif
    pthread_barrier_wait(&made);
    pthread_barrier_wait(&made);
    pthread_join(thread, NULL);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("done\n");
  MPI_Win_free(&win);
  MPI_Finalize();
}
