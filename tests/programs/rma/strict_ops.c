// With strict_accumulate_ops, concurrent accumulates on one address must use one operation, or
// MPI_NO_OP; compare_and_swap is a separate operation. Those of one origin are ordered, unless the
// info of the window relaxes that. Fixed: one operation for each address.
#include "rma.h"
// run: ranks=3 env=PHOTOFINISH_OPTIONS:strict_accumulate_ops=1
// output: done
// expect race: accumulate @{sum} accumulate @{max}
// expect race: accumulate @{swap} accumulate @{replace}
// expect race: accumulate @{unordered_sum} accumulate @{unordered_max}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win, unordered;
  int_window(8, &win);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "accumulate_ordering", "none");
  void* base;
  MPI_Win_allocate(64, 4, info, MPI_COMM_WORLD, &base, &unordered);
  memset(base, 0, 64);
  MPI_Info_free(&info);
  MPI_Barrier(MPI_COMM_WORLD);
#ifdef FIXED
  const MPI_Op max = MPI_SUM;
#else
  const MPI_Op max = MPI_MAX;
#endif
  const int one = 1, two = 2, zero = 0;
  int old[4] = {0};
  MPI_Win_lock_all(0, win);
  MPI_Win_lock_all(0, unordered);
  if (rank == 1) {
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win); /*{sum}*/
    MPI_Compare_and_swap(&one, &zero, &old[0], MPI_INT, 0, 1, win);   /*{swap}*/
    MPI_Fetch_and_op(&one, &old[1], MPI_INT, 0, 2, MPI_SUM, win);
    MPI_Compare_and_swap(&one, &zero, &old[2], MPI_INT, 0, 3, win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 4, 1, MPI_INT, MPI_SUM, win);  // one origin, ordered: fine
    MPI_Accumulate(&two, 1, MPI_INT, 0, 4, 1, MPI_INT, MPI_MAX, win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, unordered); /*{unordered_sum}*/
    MPI_Accumulate(&two, 1, MPI_INT, 0, 0, 1, MPI_INT, max, unordered);     /*{unordered_max}*/
  } else if (rank == 2) {
    MPI_Accumulate(&two, 1, MPI_INT, 0, 0, 1, MPI_INT, max, win); /*{max}*/
#ifdef FIXED
    MPI_Compare_and_swap(&two, &zero, &old[0], MPI_INT, 0, 1, win);
#else
    MPI_Accumulate(&two, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_REPLACE, win); /*{replace}*/
#endif
    MPI_Fetch_and_op(NULL, &old[1], MPI_INT, 0, 2, MPI_NO_OP, win);  // with a sum: fine
    MPI_Compare_and_swap(&two, &zero, &old[2], MPI_INT, 0, 3, win);  // with another one: fine
  }
  MPI_Win_unlock_all(unordered);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("done\n");
  MPI_Win_free(&unordered);
  MPI_Win_free(&win);
  MPI_Finalize();
}
