// After each of the four flushes the origin may reuse its buffers: overwrite the source of a put or
// an accumulate, read the result of a get or a fetch. Before them it may not. Fixed: a flush before
// each.
#include "rma.h"
// run: ranks=2
// output: put 1 2, sum 4, got 5, fetched 5
// expect race: load @{put0} store @{reuse0}
// expect race: load @{put1} store @{reuse1}
// expect race: load @{sum} store @{reuse2}
// expect race: store @{get} load @{use3}
// expect race: store @{fetch} load @{use4}
// expect race: load @{fetch} store @{reuse4}
#ifdef FIXED
#define FLUSH(how, ...) MPI_Win_flush##how(__VA_ARGS__)
#else
#define FLUSH(how, ...)
#endif

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(5, &win);
  STORE(memory[2], 3);
  STORE(memory[3], 5);
  STORE(memory[4], 5);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    int first = 1, second = 2, third = 1, got = 0, one = 1, old = 0;
    MPI_Win_lock_all(0, win);
    MPI_Put(&first, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put0}*/
    FLUSH(_local, 1, win);
    STORE(first, -1);                                    /*{reuse0}*/
    MPI_Put(&second, 1, MPI_INT, 1, 1, 1, MPI_INT, win); /*{put1}*/
    FLUSH(_local_all, win);
    STORE(second, -1);                                                  /*{reuse1}*/
    MPI_Accumulate(&third, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_SUM, win); /*{sum}*/
    FLUSH(, 1, win);
    STORE(third, -1);                                 /*{reuse2}*/
    MPI_Get(&got, 1, MPI_INT, 1, 3, 1, MPI_INT, win); /*{get}*/
    FLUSH(_all, win);
    const int used = LOAD(got);                                /*{use3}*/
    MPI_Fetch_and_op(&one, &old, MPI_INT, 1, 4, MPI_SUM, win); /*{fetch}*/
    FLUSH(_local, 1, win);
    const int fetched = LOAD(old); /*{use4}*/
    STORE(one, -1);                /*{reuse4}*/
    MPI_Win_unlock_all(win);
    MPI_Send(&used, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Send(&fetched, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else {
    int used, fetched;
    MPI_Recv(&used, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&fetched, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("put %d %d, sum %d, got %d, fetched %d\n", LOAD(memory[0]), LOAD(memory[1]),
           LOAD(memory[2]), used, fetched);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
}
