// C++, with static data in a class.
#include <shmem.h>

#include <cstdio>
// run: ranks=2
// output: done
// expect race: put @{put} load @{load}

struct Grid {
  static double cells[8];
};
double Grid::cells[8];

int main() {
  shmem_init();
  const int me = shmem_my_pe();
  const double values[2] = {1.5, 2.5};
  if (me == 0) shmem_double_put(&Grid::cells[2], values, 2, 1); /*{put}*/
#ifdef FIXED
  shmem_barrier_all();
#endif
  double seen = 0;
  if (me == 1) seen = Grid::cells[3]; /*{load}*/
  shmem_barrier_all();
  if (me == 1 && seen < 3) std::printf("done\n");
  shmem_finalize();
}
