// Adjacent ranges do not overlap; one common byte makes a race. Rank 1 puts ints 0 to 3, rank 2
// gets from 4 on, or one byte too early. The gaps of a struct are not accessed. Fixed: rank 2
// begins where rank 1 ends.
#include "rma.h"
// run: ranks=3
// output: got 0 0
// expect race: put @{put} get @{get}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  char* memory;
  MPI_Win_allocate(128, 1, MPI_INFO_NULL, MPI_COMM_WORLD, (void*)&memory, &win);
  memset(memory, 0, 128);
  MPI_Barrier(MPI_COMM_WORLD);
  // A char, a gap of three bytes, an int; and the three bytes of the gap alone.
  MPI_Datatype holes, gap;
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {0, 4};
  const MPI_Datatype types[2] = {MPI_CHAR, MPI_INT};
  MPI_Type_create_struct(2, lengths, places, types, &holes);
  MPI_Type_contiguous(3, MPI_CHAR, &gap);
  MPI_Type_commit(&holes);
  MPI_Type_commit(&gap);
#ifdef FIXED
  const int first = 16;
#else
  const int first = 15;
#endif
  const int values[4] = {0};
  const struct {
    char c;
    int i;
  } record = {0, 0};
  char bytes[16] = {0}, between[3] = {0};
  MPI_Win_lock_all(0, win);
  if (rank == 1) {
    MPI_Put(values, 4, MPI_INT, 0, 0, 4, MPI_INT, win); /*{put}*/
    MPI_Put(&record, 1, holes, 0, 64, 1, holes, win);
  } else if (rank == 2) {
    MPI_Get(bytes, 16, MPI_CHAR, 0, first, 16, MPI_CHAR, win); /*{get}*/
    MPI_Get(between, 3, MPI_CHAR, 0, 65, 1, gap, win);
  }
  MPI_Win_unlock_all(win);
  if (rank == 2) printf("got %d %d\n", LOAD(bytes[0]), LOAD(between[0]));
  MPI_Type_free(&gap);
  MPI_Type_free(&holes);
  MPI_Win_free(&win);
  MPI_Finalize();
}
