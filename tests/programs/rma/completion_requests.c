// The origin may reuse the buffers of rput, rget, raccumulate and rget_accumulate only after the
// request is complete, by whichever call completes it.
#include "rma.h"
// run: ranks=2
// output: got 3 3, target 1 5
// expect race: load @{rput} store @{reuse0}
// expect race: store @{rget} load @{use1}
// expect race: load @{raccumulate} store @{reuse2}
// expect race: store @{rget_accumulate} load @{use3}
// expect race: load @{rget_accumulate} store @{reuse3}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(4, &win);
  for (int i = 1; i < 4; ++i) STORE(memory[i], 3);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    int one = 1, got = 0, two = 2, more = 2, old = 0, which;
    MPI_Request requests[4];
    MPI_Win_lock_all(0, win);
    MPI_Rput(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &requests[0]); /*{rput}*/
    MPI_Rget(&got, 1, MPI_INT, 1, 1, 1, MPI_INT, win, &requests[1]); /*{rget}*/
    MPI_Raccumulate(&two, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_SUM, win,
                    &requests[2]); /*{raccumulate}*/
    MPI_Rget_accumulate(&more, 1, MPI_INT, &old, 1, MPI_INT, 1, 3, 1, MPI_INT, MPI_SUM, win,
                        &requests[3]); /*{rget_accumulate}*/
#ifdef FIXED
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
#endif
    STORE(one, -1); /*{reuse0}*/
#ifdef FIXED
    for (int done = 0; !done; sched_yield()) MPI_Test(&requests[1], &done, MPI_STATUS_IGNORE);
#endif
    const int used = LOAD(got); /*{use1}*/
#ifdef FIXED
    MPI_Waitall(2, &requests[1], MPI_STATUSES_IGNORE);
#endif
    STORE(two, -1); /*{reuse2}*/
#ifdef FIXED
    MPI_Waitany(4, requests, &which, MPI_STATUS_IGNORE);
    CHECK(which == 3);
#endif
    const int fetched = LOAD(old); /*{use3}*/
    STORE(more, -1);               /*{reuse3}*/
#ifndef FIXED
    for (int i = 0; i < 4; ++i) MPI_Waitany(4, requests, &which, MPI_STATUS_IGNORE);
#endif
    MPI_Win_unlock_all(win);
    const int results[2] = {used, fetched};
    MPI_Send(results, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    int results[2];
    MPI_Recv(results, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("got %d %d, target %d %d\n", results[0], results[1], LOAD(memory[0]), LOAD(memory[2]));
  }
  MPI_Win_free(&win);
  MPI_Finalize();
}
