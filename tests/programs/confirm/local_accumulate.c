// As local_put.c, with an accumulate from absolute addresses (MPI_BOTTOM): two variables, which the
// program overwrites after MPI_Win_flush_local_all. The second accumulate comes behind the first at
// the target, whichever order is forced. Fixed: MPI_Win_flush before the message.
#include "../rma/rma.h"
// run: ranks=2
// output: read 0, 7 or 14
// expect confirmed: accumulate @{first} load @{load}
// expect confirmed: accumulate @{second} load @{load}

static int one[8], other[8];

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(32, &win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Aint addresses[2];
    int lengths[2] = {1, 1};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT}, both;
    MPI_Get_address(&one[3], &addresses[0]);
    MPI_Get_address(&other[5], &addresses[1]);
    MPI_Type_create_struct(2, lengths, addresses, types, &both);
    MPI_Type_commit(&both);
    one[3] = other[5] = 7;
    MPI_Accumulate(MPI_BOTTOM, 1, both, 1, 4, 2, MPI_INT, MPI_SUM, win); /*{first}*/
    MPI_Win_flush_local_all(win);
    one[3] = other[5] = 14;
    MPI_Accumulate(MPI_BOTTOM, 1, both, 1, 4, 2, MPI_INT, MPI_REPLACE, win); /*{second}*/
    MPI_Type_free(&both);
#ifdef FIXED
    MPI_Win_flush(1, win);
#else
    MPI_Win_flush_local_all(win);
#endif
    one[3] = other[5] = 1000;
    tell(1);
  } else {
    hear(0);
    MPI_Win_sync(win);
    const int read = LOAD(memory[5]); /*{load}*/
    if (read == 0 || read == 7 || read == 14)
      printf("read 0, 7 or 14\n");
    else
      printf("read %d\n", read);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1 && (memory[4] != 14 || memory[5] != 14))
    printf("in the end %d and %d\n", memory[4], memory[5]);
  MPI_Win_free(&win);
  MPI_Finalize();
}
