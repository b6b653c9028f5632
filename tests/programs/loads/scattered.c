// Irregular loads and stores through indices, often enough that each site gets a bit mask.
// Addresses accessed both before and after a barrier count both times, and addresses between them
// do not count. Fixed: the puts wait for the second barrier.
#include "../rma/rma.h"
// run: ranks=2
// output: touched
// expect race: put @{put_loaded} load @{load}
// expect race: put @{put_stored} store @{store}

enum { kElements = 4096 };

// The odd elements, each once, in an order that no strided range describes.
static int index_of(int i) { return (i * 1237 % (kElements / 2)) * 2 + 1; }

__attribute__((noinline)) static int touch(int* memory, const int* indices, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    if (indices[i] < kElements / 2)
      sum += memory[indices[i]]; /*{load}*/
    else
      memory[indices[i]] = i; /*{store}*/
  }
  return sum;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(kElements, &win);
  int* indices = malloc(kElements * sizeof(int));
  for (int i = 0; i < kElements / 2; ++i) indices[i] = index_of(i);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  int sum = 0;
  if (rank == 1) sum += touch(memory, indices, kElements / 2);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) sum += touch(memory, indices, kElements / 2);
#ifdef FIXED
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  if (rank == 0) {
    const int one = 1;
    for (int i = 0; i < kElements; i += 128)
      MPI_Put(&one, 1, MPI_INT, 1, i, 1, MPI_INT, win);  // even: not accessed
    MPI_Put(&one, 1, MPI_INT, 1, 777, 1, MPI_INT, win);  /*{put_loaded}*/
    MPI_Put(&one, 1, MPI_INT, 1, 3777, 1, MPI_INT, win); /*{put_stored}*/
    MPI_Win_flush(1, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  CHECK(sum >= 0);
  if (rank == 1) printf("touched\n");
  free(indices);
  MPI_Finalize();
}
