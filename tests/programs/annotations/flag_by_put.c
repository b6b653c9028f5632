// A put sets a flag and a get polls it, which the tool does not recognize as synchronization.
// Fixed: annotations declare the synchronization, and the race on the flag itself as intended. Both
// sides declare that once: one would suffice.
#include "../rma/rma.h"

#include "photofinish/annotate.h"
// run: ranks=3
// output: read 12
// expect race: put @{raise} get @{poll}
// expect race: put @{data} get @{read}
// expect report fixed: NOTE: photofinish: 1 race was declared intended: "the flag" at flag_by_put.c:*

enum { kFlag = 7 };

#ifdef FIXED
#define BEFORE(value) PHOTOFINISH_HAPPENS_BEFORE(kFlag, value)
#define AFTER(value) PHOTOFINISH_HAPPENS_AFTER(kFlag, value)
#define INTENDED(why) PHOTOFINISH_INTENDED_BEGIN(why)
#define END PHOTOFINISH_INTENDED_END()
#else
#define BEFORE(value)
#define AFTER(value)
#define INTENDED(why)
#define END
#endif

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(16 + 3, &win);  // on rank 1: three data elements, and the flag far from them
  MPI_Win_lock_all(0, win);
  int sum = 0;
  for (int step = 1; step <= 3; ++step) {
    if (rank == 0) {
      const int data = step + 2;
      MPI_Put(&data, 1, MPI_INT, 1, step, 1, MPI_INT, win); /*{data}*/
      MPI_Win_flush(1, win);
      BEFORE(step);
      INTENDED("the flag");
      MPI_Put(&step, 1, MPI_INT, 1, 18, 1, MPI_INT, win); /*{raise}*/
      END;
      MPI_Win_flush(1, win);
    } else if (rank == 2) {
      int flag = 0, read = 0;
      while (LOAD(flag) < step) {
        MPI_Get(&flag, 1, MPI_INT, 1, 18, 1, MPI_INT, win); /*{poll}*/
        MPI_Win_flush(1, win);
        sched_yield();
      }
      AFTER(step);
      MPI_Get(&read, 1, MPI_INT, 1, step, 1, MPI_INT, win); /*{read}*/
      MPI_Win_flush(1, win);
      sum += LOAD(read);
    }
  }
  if (rank == 2) printf("read %d\n", sum);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
  MPI_Finalize();
}
