// Every one-sided operation: the bytes it reads and writes at the origin and at the target.
#include "check.h"
// run: ranks=2
// output: counter 11
// expect rank all: MPI_Win_allocate newwin=win1
// expect rank 0: MPI_Put win=win1 target=1 reads=*+8(2xMPI_INT) target_writes=+0x8+8(2xMPI_INT)
// expect rank 0: MPI_Get win=win1 target=1 writes=*+8(2xMPI_INT) target_reads=+0x8+8(2xMPI_INT)
// expect rank 0: MPI_Accumulate win=win1 target=1 op=MPI_SUM reads=*+4(1xMPI_INT) target_updates=+0x0+4(1xMPI_INT)
// expect rank 0: MPI_Accumulate target=1 op=MPI_REPLACE target_updates=+0x4+4(1xMPI_INT)
// expect rank 0: MPI_Get_accumulate target=1 op=MPI_PROD reads=*+4(1xMPI_INT) writes=*+4(1xMPI_INT) target_updates=+0x4+4(1xMPI_INT)
// expect rank 0: MPI_Get_accumulate target=1 op=MPI_NO_OP writes=*+4(1xMPI_INT) target_reads=+0x4+4(1xMPI_INT) !reads=*
// expect rank 0: MPI_Fetch_and_op target=1 op=MPI_SUM reads=*+4(1xMPI_INT) writes=*+4(1xMPI_INT) target_updates=+0x0+4(1xMPI_INT)
// expect rank 0: MPI_Fetch_and_op target=1 op=MPI_NO_OP writes=*+4(1xMPI_INT) target_reads=+0x0+4(1xMPI_INT) !reads=*
// expect rank 0: MPI_Compare_and_swap target=1 reads=*+4(1xMPI_INT) reads=*+4(1xMPI_INT) writes=*+4(1xMPI_INT) target_updates=+0x0+4(1xMPI_INT)
// expect rank 0: MPI_Rput target=1 request=$put reads=*+4(1xMPI_INT) target_writes=+0x20+4(1xMPI_INT)
// expect rank 0: MPI_Rget target=1 request=$get writes=*+4(1xMPI_INT) target_reads=+0x24+4(1xMPI_INT)
// expect rank 0: MPI_Raccumulate target=1 request=$acc op=MPI_SUM target_updates=+0x28+4(1xMPI_INT)
// expect rank 0: MPI_Rget_accumulate target=1 request=$both op=MPI_SUM reads=*+4(1xMPI_INT) writes=*+4(1xMPI_INT) target_updates=+0x2c+4(1xMPI_INT)
// expect rank 0: MPI_Waitall requests=[$put;$get;$acc;$both] done=[$put;$get;$acc;$both]
// expect rank 0: MPI_Put target=NULL !reads=* !target_writes=*
// expect rank 0: MPI_Accumulate target=0 op=MPI_MAX target_updates=+0x0+4(1xMPI_INT)

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, *base;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win win;
  MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < 16; ++i) base[i] = 0;
  MPI_Win_fence(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    int pair[2] = {1, 2}, got[2] = {0}, three = 3, old = -1, seven = 7, zero = 0;
    int in[2] = {0};
    MPI_Win_lock_all(0, win);
    MPI_Put(pair, 2, MPI_INT, 1, 2, 2, MPI_INT, win);
    MPI_Win_flush(1, win);
    MPI_Get(got, 2, MPI_INT, 1, 2, 2, MPI_INT, win);
    MPI_Win_flush(1, win);
    CHECK(got[0] == 1 && got[1] == 2);
    MPI_Accumulate(&three, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Accumulate(&three, 1, MPI_INT, 1, 1, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_flush(1, win);
    MPI_Get_accumulate(&three, 1, MPI_INT, &old, 1, MPI_INT, 1, 1, 1, MPI_INT, MPI_PROD, win);
    MPI_Win_flush(1, win);
    CHECK(old == 3);
    MPI_Get_accumulate(NULL, 0, MPI_INT, &old, 1, MPI_INT, 1, 1, 1, MPI_INT, MPI_NO_OP, win);
    MPI_Win_flush(1, win);
    CHECK(old == 9);
    MPI_Fetch_and_op(&three, &old, MPI_INT, 1, 0, MPI_SUM, win);
    MPI_Win_flush(1, win);
    CHECK(old == 3);
    MPI_Fetch_and_op(NULL, &old, MPI_INT, 1, 0, MPI_NO_OP, win);
    MPI_Win_flush(1, win);
    CHECK(old == 6);
    MPI_Compare_and_swap(&seven, &old, &zero, MPI_INT, 1, 0, win);
    MPI_Win_flush(1, win);
    CHECK(zero == 6);
    MPI_Request requests[4];
    MPI_Rput(&three, 1, MPI_INT, 1, 8, 1, MPI_INT, win, &requests[0]);
    MPI_Rget(&in[0], 1, MPI_INT, 1, 9, 1, MPI_INT, win, &requests[1]);
    MPI_Raccumulate(&three, 1, MPI_INT, 1, 10, 1, MPI_INT, MPI_SUM, win, &requests[2]);
    MPI_Rget_accumulate(&three, 1, MPI_INT, &in[1], 1, MPI_INT, 1, 11, 1, MPI_INT, MPI_SUM, win,
                        &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Put(&three, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
    MPI_Accumulate(&three, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_MAX, win);
    MPI_Win_unlock_all(win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    printf("counter %d\n", base[0] + base[2] + base[8]);
    MPI_Win_unlock(1, win);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
}
