// HAPPENS_BEFORE does not order operations that are incomplete at that point, nor does one with
// another value. A race outside of an intended region is a finding, even if the same line is
// intended at other times. Fixed: a flush first, the same value, and an intended region around all.
#include "../rma/rma.h"

#include "photofinish/annotate.h"
// run: ranks=2
// output: done
// expect race: put @{late} load @{look}
// expect race: put @{other} load @{look-other}
// expect race: put @{sometimes} load @{look-sometimes}
// expect report buggy: NOTE: photofinish: 1 race was declared intended: "every other time" at too_early.c:*
// expect report fixed: NOTE: photofinish: 1 race was declared intended: "every other time" at too_early.c:*

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* base = int_window(3, &win);
  MPI_Win_lock_all(0, win);
  const int one = 1;
#ifdef FIXED
  const int intended = 1, same = 1;
#else
  const int intended = 0, same = 2;
#endif
  int seen = 0;
  if (rank == 0) {
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{late}*/
#ifdef FIXED
    MPI_Win_flush(1, win);
#endif
    PHOTOFINISH_HAPPENS_BEFORE(1, 1);
    MPI_Win_flush(1, win);
    MPI_Put(&one, 1, MPI_INT, 1, 1, 1, MPI_INT, win); /*{other}*/
    MPI_Win_flush(1, win);
    PHOTOFINISH_HAPPENS_BEFORE(2, same);
    for (int i = 0; i < 4; ++i) {
      if (intended || i % 2) PHOTOFINISH_INTENDED_BEGIN("every other time");
      MPI_Put(&one, 1, MPI_INT, 1, 2, 1, MPI_INT, win); /*{sometimes}*/
      if (intended || i % 2) PHOTOFINISH_INTENDED_END();
      MPI_Win_flush(1, win);
    }
  } else {
    PHOTOFINISH_HAPPENS_AFTER(1, 1);  // the tool does not check that it really is later
    seen = LOAD(base[0]);             /*{look}*/
    PHOTOFINISH_HAPPENS_AFTER(2, 1);
    seen += LOAD(base[1]); /*{look-other}*/
    seen += LOAD(base[2]); /*{look-sometimes}*/
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) puts("done");
  MPI_Win_free(&win);
  MPI_Finalize();
  return seen > 99;
}
