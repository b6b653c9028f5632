// Loads and stores through index arrays, which are read in front of the loops. Unchanged indices
// count again, changed ones are new accesses, and of a structure only the accessed member counts.
// Fixed: the puts wait for the last barrier.
#include "../rma/rma.h"
// run: ranks=2
// output: touched
// expect race: put @{put_loaded} load @{load}
// expect race: put @{put_stored} store @{store}

enum { kElements = 4096, kIndices = kElements / 4 };
typedef struct {
  double x, y;
} Point;

__attribute__((noinline)) static double sum_x(const Point* points, const int* indices, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += points[indices[i]].x; /*{load}*/
  return sum;
}

__attribute__((noinline)) static void add_y(Point* points, const int (*pairs)[2], int count) {
  for (int i = 0; i < count; ++i) {
    points[pairs[i][0]].y += 1; /*{store}*/
    points[pairs[i][1]].y += 2;
  }
}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  Point* points;
  MPI_Win_allocate(kElements * sizeof(Point), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &points, &win);
  for (int i = 0; i < kElements; ++i) points[i].x = points[i].y = 0;
  int indices[kIndices], pairs[kIndices][2];
  for (int i = 0; i < kIndices; ++i) indices[i] = i * 577 % kIndices * 4;  // every fourth element
  for (int i = 0; i < kIndices; ++i) {
    pairs[i][0] = indices[i] + 1;
    pairs[i][1] = indices[(i + 1) % kIndices] + 2;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  double sum = 0;
  for (int moment = 0; moment < 3; ++moment) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (moment == 2) indices[99] = 1777;
    if (rank == 1) {
      sum += sum_x(points, indices, kIndices);
      add_y(points, pairs, kIndices);
    }
  }
#ifdef FIXED
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  if (rank == 0) {
    const double one = 1;
    for (int i = 0; i < kElements; i += 64) {
      MPI_Put(&one, 1, MPI_DOUBLE, 1, 2 * i + 1, 1, MPI_DOUBLE,
              win);  // the other member of the loaded elements
      MPI_Put(&one, 1, MPI_DOUBLE, 1, 2 * i + 4, 1, MPI_DOUBLE,
              win);  // the other member of the stored elements
      MPI_Put(&one, 1, MPI_DOUBLE, 1, 2 * (i + 3), 1, MPI_DOUBLE, win);  // never accessed
    }
    MPI_Put(&one, 1, MPI_DOUBLE, 1, 2 * 1777, 1, MPI_DOUBLE, win);    /*{put_loaded}*/
    MPI_Put(&one, 1, MPI_DOUBLE, 1, 2 * 801 + 1, 1, MPI_DOUBLE, win); /*{put_stored}*/
    MPI_Win_flush(1, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  CHECK(sum >= 0);
  if (rank == 1) printf("touched\n");
  MPI_Finalize();
}
