// C library functions access pending buffers: memcpy and snprintf write to the buffer of a put,
// strlen reads the result of a get. Fixed: flushes before.
#include "../rma/rma.h"
// run: ranks=2
// output: hello has 5
// output buggy: * has *
// expect race: load @{put} store @{copy}
// expect race: load @{second_put} store @{print}
// expect race: store @{get} load @{length}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  char* memory = (char*)int_window(64, &win);
  strcpy(memory + 128, "hello");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    char first[64] = "first", second[64] = "second", got[64] = "";
    MPI_Put(first, 6, MPI_CHAR, 1, 0, 6, MPI_CHAR, win);  /*{put}*/
    MPI_Put(second, 7, MPI_CHAR, 1, 8, 7, MPI_CHAR, win); /*{second_put}*/
    MPI_Get(got, 6, MPI_CHAR, 1, 32, 6, MPI_CHAR, win);   /*{get}*/
#ifdef FIXED
    MPI_Win_flush(1, win);
#endif
    memcpy(first, argv[0], strlen(argv[0]) % 8 + 1); /*{copy}*/
    snprintf(second, sizeof second, "%d", argc);     /*{print}*/
    const int length = (int)strlen(got);             /*{length}*/
    MPI_Win_flush(1, win);
    printf("%s has %d\n", got, length);
    CHECK(first[0] != 0 && second[0] != 0);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
