// Two ranks put to one address in one epoch, through a virtual function and a function without
// cleanup: calls in tail position. Fixed: the second rank puts in another epoch.
#include "../rma/rma.h"
// run: ranks=3
// output: cell 2
// output buggy: cell *
// expect race: put @{put} put @{put}
// expect report buggy: #0 *Window::put(int const&) const *{put}*
// expect report buggy: #1 *store*{store}*
// expect report buggy: #2 main *{main}*

struct Target {
  virtual ~Target() = default;
  virtual int put(const int& value) const = 0;
};

struct Window : Target {
  explicit Window(MPI_Win win) : win(win) {}
  int put(const int& value) const override {
    return MPI_Put(&value, 1, MPI_INT, 0, 3, 1, MPI_INT, win); /*{put}*/
  }
  MPI_Win win;
};

__attribute__((noinline)) static int store(const Target& target, const int& value) {
  return target.put(value); /*{store}*/
}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  const int* cells = int_window(16, &win);
  Target* volatile target = new Window(win);
  const int value = rank;
  MPI_Win_fence(0, win);
  for (int turn = 1; turn < size; ++turn) {
    if (rank == turn) store(*target, value); /*{main}*/
#ifdef FIXED
    MPI_Win_fence(0, win);
#endif
  }
  MPI_Win_fence(0, win);
  if (rank == 0) printf("cell %d\n", cells[3]);
  delete target;
  MPI_Win_free(&win);
  MPI_Finalize();
}
