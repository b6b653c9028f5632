// Accumulates are atomic only with respect to each other. They conflict with a put, get, load or
// store of the same address, and reads with MPI_NO_OP conflict with all but reads. One address of
// rank 0 for each pair. Fixed: every access to such an address is an accumulate.
#include "rma.h"
// run: ranks=3
// output: places 5 1 1 5 5 5 0 0 2 1
// expect race: accumulate @{sum0} put @{put0}
// expect race: accumulate @{sum1} get @{get1}
// expect race: accumulate @{sum2} load @{load2}
// expect race: accumulate @{sum3} store @{store3}
// expect race: accumulate @{read4} put @{put4}
// expect race: accumulate @{read5} store @{store5}
// expect race: accumulate @{swap9} get @{get9}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(10, &win);
  const int one = 1, five = 5, four = 4, zero = 0;
  int got[10] = {0};
  MPI_Win_lock_all(0, win);
  if (rank == 1) {
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win); /*{sum0}*/
    MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win); /*{sum1}*/
    MPI_Accumulate(&one, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, win); /*{sum2}*/
    MPI_Accumulate(&one, 1, MPI_INT, 0, 3, 1, MPI_INT, MPI_SUM, win); /*{sum3}*/
    MPI_Fetch_and_op(NULL, &got[4], MPI_INT, 0, 4, MPI_NO_OP, win);   /*{read4}*/
    MPI_Get_accumulate(NULL, 0, MPI_INT, &got[5], 1, MPI_INT, 0, 5, 1, MPI_INT, MPI_NO_OP,
                       win);                                           /*{read5}*/
    MPI_Fetch_and_op(NULL, &got[6], MPI_INT, 0, 6, MPI_NO_OP, win);    // two reads: fine
    MPI_Fetch_and_op(NULL, &got[7], MPI_INT, 0, 7, MPI_NO_OP, win);    // two reads: fine
    MPI_Accumulate(&one, 1, MPI_INT, 0, 8, 1, MPI_INT, MPI_SUM, win);  // two accumulates: fine
    MPI_Compare_and_swap(&one, &zero, &got[9], MPI_INT, 0, 9, win);    /*{swap9}*/
  }
  if (rank == 2) {
#ifdef FIXED
    MPI_Accumulate(&four, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Fetch_and_op(NULL, &got[1], MPI_INT, 0, 1, MPI_NO_OP, win);
    MPI_Accumulate(&five, 1, MPI_INT, 0, 4, 1, MPI_INT, MPI_SUM, win);
    MPI_Fetch_and_op(NULL, &got[9], MPI_INT, 0, 9, MPI_NO_OP, win);
#else
    MPI_Put(&five, 1, MPI_INT, 0, 0, 1, MPI_INT, win);   /*{put0}*/
    MPI_Get(&got[1], 1, MPI_INT, 0, 1, 1, MPI_INT, win); /*{get1}*/
    MPI_Put(&five, 1, MPI_INT, 0, 4, 1, MPI_INT, win);   /*{put4}*/
    MPI_Get(&got[9], 1, MPI_INT, 0, 9, 1, MPI_INT, win); /*{get9}*/
#endif
    MPI_Get(&got[6], 1, MPI_INT, 0, 6, 1, MPI_INT, win);
    MPI_Get_accumulate(&one, 1, MPI_INT, &got[8], 1, MPI_INT, 0, 8, 1, MPI_INT, MPI_SUM, win);
  }
  if (rank == 0) {
#ifdef FIXED
    MPI_Fetch_and_op(NULL, &got[2], MPI_INT, 0, 2, MPI_NO_OP, win);
    MPI_Accumulate(&four, 1, MPI_INT, 0, 3, 1, MPI_INT, MPI_SUM, win);
    MPI_Accumulate(&five, 1, MPI_INT, 0, 5, 1, MPI_INT, MPI_SUM, win);
#else
    got[2] = LOAD(memory[2]); /*{load2}*/
    STORE(memory[3], 4);      /*{store3}*/
    STORE(memory[5], 5);      /*{store5}*/
#endif
    got[7] = LOAD(memory[7]);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    printf("places");
    for (int i = 0; i < 10; ++i) printf(" %d", LOAD(memory[i]));
    printf("\n");
  }
  MPI_Win_free(&win);
  MPI_Finalize();
}
