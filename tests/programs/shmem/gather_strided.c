// A strided get of a column that another PE puts to.
#include "pes.h"
// run: ranks=3
// output: done
// expect race: get @{column} put @{row}

int main(void) {
  begin();
  long* grid = longs(16);
  long column[4];
  const long row[4] = {1, 2, 3, 4};
#ifdef FIXED
  const int first = 1;
#else
  const int first = 0;
#endif
  if (me == 1) shmem_long_iget(column, &grid[first], 1, 4, 4, 0); /*{column}*/
  if (me == 2) shmem_long_iput(grid, row, 4, 1, 4, 0);            /*{row}*/
  shmem_barrier_all();
  if (me == 0) printf("done\n");
  shmem_finalize();
}
