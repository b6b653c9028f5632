// A ticket lock: fetch_and_op takes a ticket, MPI_NO_OP polls the number being served, and the
// holder increments it at the end. It protects a counter in another window. The bug: the put of the
// counter is flushed after that increment. Fixed: before.
#include "rma.h"
// run: ranks=4
// output: counter 12
// expect race: put @{put} get @{get}
// expect race: put @{put} put @{put}
enum { kRounds = 3, kTicket = 0, kServed = 1 };

static MPI_Win locks, data;
static const int one = 1;

static void acquire(void) {
  int ticket = -1, served = -2;
  MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, kTicket, MPI_SUM, locks);
  MPI_Win_flush(0, locks);
  while (LOAD(served) != LOAD(ticket)) {
    MPI_Fetch_and_op(NULL, &served, MPI_INT, 0, kServed, MPI_NO_OP, locks);
    MPI_Win_flush(0, locks);
    sched_yield();
  }
}

static void release(void) {
  MPI_Accumulate(&one, 1, MPI_INT, 0, kServed, 1, MPI_INT, MPI_SUM, locks);
  MPI_Win_flush(0, locks);
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int_window(2, &locks);
  int* counter = int_window(1, &data);
  int values[kRounds] = {0};
  MPI_Win_lock_all(0, locks);
  MPI_Win_lock_all(0, data);
  for (int round = 0; round < kRounds; ++round) {
    acquire();
    MPI_Get(&values[round], 1, MPI_INT, 0, 0, 1, MPI_INT, data); /*{get}*/
    MPI_Win_flush(0, data);
    STORE(values[round], LOAD(values[round]) + 1);
    MPI_Put(&values[round], 1, MPI_INT, 0, 0, 1, MPI_INT, data); /*{put}*/
#ifdef FIXED
    MPI_Win_flush(0, data);
    release();
#else
    release();
    MPI_Win_flush(0, data);
#endif
  }
  MPI_Win_unlock_all(data);
  MPI_Win_unlock_all(locks);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("counter %d\n", LOAD(*counter));
  MPI_Win_free(&data);
  MPI_Win_free(&locks);
  MPI_Finalize();
}
