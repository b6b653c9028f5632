// The buffer of a pending put is an object in a scope that an exception leaves. Fixed: the
// destructor waits.
#include <stdexcept>

#include "../rma/rma.h"
// run: ranks=2
// output: caught, then 4
// output buggy: caught, then *
// expect race: load @{put} release @{throw}

static MPI_Win win;

struct Message {
  int values[4] = {1, 2, 3, 4};
  ~Message() {
#ifdef FIXED
    MPI_Win_flush_local(1, win);
#endif
  }
};

__attribute__((noinline)) static void send(int limit) {
  Message message;
  MPI_Put(message.values, 4, MPI_INT, 1, 0, 4, MPI_INT, win); /*{put}*/
  if (limit < 4) throw std::runtime_error("too many");        /*{throw}*/
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int* memory = int_window(4, &win);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    try {
      send(argc);
    } catch (const std::exception&) {
    }
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) printf("caught, then %d\n", memory[3]);
  MPI_Win_free(&win);
  MPI_Finalize();
}
