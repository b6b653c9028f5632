// Nested region names, in C++. An unmatched end of a region has no effect, and a region may last
// until the program ends. Fixed: a barrier.
#include "../rma/rma.h"

#include <string>

#include "photofinish/annotate.h"
// run: ranks=2
// output: done
// expect race: put @{put} load @{load}
// expect race: put @{put} load @{load-again}
// expect report buggy: in region "step" > "halo 1"
// expect report buggy: in region "look"

template <class Work>
void in_region(const std::string& name, Work work) {
  PHOTOFINISH_REGION_BEGIN(name.c_str());
  work();
  PHOTOFINISH_REGION_END();
}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* base = int_window(2, &win);
  int seen = 0;
  PHOTOFINISH_REGION_END();
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    in_region("step", [&] {
      in_region("halo " + std::to_string(1), [&] {
        const int one = 1;
        MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
        MPI_Win_flush(1, win);
      });
    });
  }
#ifdef FIXED
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  if (rank == 1) {
    seen = LOAD(base[0]); /*{load}*/
    PHOTOFINISH_REGION_BEGIN("look");
    seen += LOAD(base[0]); /*{load-again}*/
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::puts("done");
  MPI_Win_free(&win);
  MPI_Finalize();
  return seen > 99;
}
