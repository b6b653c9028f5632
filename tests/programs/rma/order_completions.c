// Correct: whichever call completes a receive, what precedes the send happens before what follows
// that call: wait, waitany, waitsome, waitall, test, testany, testsome, testall,
// MPI_Request_get_status, MPI_Sendrecv, a persistent receive, a matched one.
#include "rma.h"
// run: ranks=2
// output: read 1 2 3 4 5 6 7 8 9 10 11 12
// expect no race
enum { kWays = 12 };

static int* memory;
static int read_values[kWays], ways = 0;

static void look(void) {
  read_values[ways] = LOAD(memory[ways]);
  ++ways;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  memory = int_window(kWays, &win);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    for (int way = 0; way < kWays; ++way) {
      const int value = way + 1;
      MPI_Put(&value, 1, MPI_INT, 1, way, 1, MPI_INT, win);
      MPI_Win_flush(1, win);
      MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
  } else {
    int data[kWays], index, count, indices[2], done = 0;
    MPI_Request requests[kWays];
    for (int i = 0; i < 9; ++i)
      MPI_Irecv(&data[i], 1, MPI_INT, i % 2 ? 0 : MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[i]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    look();
    MPI_Waitany(1, &requests[1], &index, MPI_STATUS_IGNORE);
    look();
    MPI_Waitsome(1, &requests[2], &count, indices, MPI_STATUSES_IGNORE);
    look();
    MPI_Waitall(1, &requests[3], MPI_STATUSES_IGNORE);
    look();
    for (done = 0; !done; sched_yield()) MPI_Test(&requests[4], &done, MPI_STATUS_IGNORE);
    look();
    for (done = 0; !done; sched_yield())
      MPI_Testany(1, &requests[5], &index, &done, MPI_STATUS_IGNORE);
    look();
    for (count = 0; !count; sched_yield())
      MPI_Testsome(1, &requests[6], &count, indices, MPI_STATUSES_IGNORE);
    look();
    for (done = 0; !done; sched_yield()) MPI_Testall(1, &requests[7], &done, MPI_STATUSES_IGNORE);
    look();
    for (done = 0; !done; sched_yield())
      MPI_Request_get_status(requests[8], &done, MPI_STATUS_IGNORE);
    look();
    MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, &data[9], 1, MPI_INT, 0, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    look();
    MPI_Recv_init(&data[10], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[10]);
    MPI_Start(&requests[10]);
    MPI_Wait(&requests[10], MPI_STATUS_IGNORE);
    look();
    MPI_Message message;
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(&data[11], 1, MPI_INT, &message, &requests[11]);
    MPI_Wait(&requests[11], MPI_STATUS_IGNORE);
    look();
    MPI_Wait(&requests[8], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[10]);
    printf("read");
    for (int i = 0; i < kWays; ++i) {
      CHECK(LOAD(data[i]) == i + 1);
      printf(" %d", read_values[i]);
    }
    printf("\n");
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
