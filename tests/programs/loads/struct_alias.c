// The buffer of a put has a second name, a member of a structure in a list, and a store uses that
// name while the put is pending. Fixed: a flush before.
#include "../rma/rma.h"
// run: ranks=2
// output: got 4 4
// expect race: load @{put} store @{store}

struct field {
  double scale;
  int* values;
  struct field* next;
};

__attribute__((noinline)) static void advance(struct field* fields) {
  for (struct field* one = fields; one != NULL; one = one->next)
    for (int i = 0; i < 2; ++i) one->values[i] += 1; /*{store}*/
}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(4, &win);
  int other[2] = {1, 2}, values[2] = {4, 4};
  struct field second = {2, values, NULL}, first = {1, other, &second};
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Put(values, 2, MPI_INT, 1, 0, 2, MPI_INT, win); /*{put}*/
#ifdef FIXED
    MPI_Win_flush_local(1, win);
#endif
    advance(&first);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) printf("got %d %d\n", memory[0], memory[1]);
  MPI_Win_free(&win);
  MPI_Finalize();
}
// output buggy: got * *
