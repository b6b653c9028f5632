// Correct: operations without data conflict with nothing: with count 0, with a datatype of no
// bytes, and to MPI_PROC_NULL, from and to memory that is in use.
#include "rma.h"
// run: ranks=3
// output: nothing happened
// expect no race

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(4, &win);
  MPI_Datatype nothing;
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  MPI_Type_commit(&nothing);
  int buffer[4] = {1, 2, 3, 4}, got[4] = {0};
  MPI_Request requests[2];
  MPI_Win_lock_all(0, win);
  MPI_Put(buffer, 0, MPI_INT, 0, 0, 0, MPI_INT, win);
  MPI_Put(buffer, 4, nothing, 0, 0, 4, nothing, win);
  MPI_Put(buffer, 4, MPI_INT, MPI_PROC_NULL, 0, 4, MPI_INT, win);
  MPI_Get(buffer, 0, MPI_INT, 0, 0, 0, MPI_INT, win);
  MPI_Get(buffer, 4, MPI_INT, MPI_PROC_NULL, 0, 4, MPI_INT, win);
  MPI_Accumulate(buffer, 0, MPI_INT, 0, 0, 0, MPI_INT, MPI_SUM, win);
  MPI_Accumulate(buffer, 4, MPI_INT, MPI_PROC_NULL, 0, 4, MPI_INT, MPI_SUM, win);
  MPI_Fetch_and_op(buffer, got, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, win);
  MPI_Rput(buffer, 4, MPI_INT, MPI_PROC_NULL, 0, 4, MPI_INT, win, &requests[0]);
  MPI_Irecv(buffer, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 4; ++i) STORE(buffer[i], LOAD(buffer[i]) + LOAD(got[i]));
  if (rank == 0)
    for (int i = 0; i < 4; ++i) STORE(memory[i], LOAD(buffer[i]));
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Win_unlock_all(win);
  if (rank == 0 && LOAD(memory[3]) == 4) printf("nothing happened\n");
  MPI_Type_free(&nothing);
  MPI_Win_free(&win);
  MPI_Finalize();
}
