// Correct, in C++: the global counter of Global Arrays (NXTVAL). Ranks draw numbers and add them
// to a total with get_accumulate; another rank reads it with MPI_NO_OP. No number is drawn
// twice.
#include <vector>

#include "rma.h"
// run: ranks=6
// output: drew 60 numbers, total 1770
// expect no race

namespace {

class GlobalCounter {
 public:
  GlobalCounter() {
    MPI_Win_allocate(64, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base_, &win_);
    STORE(base_[0], 0);
    STORE(base_[1], 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win_);
  }
  ~GlobalCounter() {
    MPI_Win_unlock_all(win_);
    MPI_Win_free(&win_);
  }
  long next() {
    const long one = 1;
    long value = -1;
    MPI_Fetch_and_op(&one, &value, MPI_LONG, 0, 0, MPI_SUM, win_);
    MPI_Win_flush(0, win_);
    return LOAD(value);
  }
  long add_to_total(long value) {
    long before = -1;
    MPI_Get_accumulate(&value, 1, MPI_LONG, &before, 1, MPI_LONG, 0, 1, 1, MPI_LONG, MPI_SUM, win_);
    MPI_Win_flush_local_all(win_);
    return LOAD(before);
  }
  long total() {
    long value = -1;
    MPI_Get_accumulate(nullptr, 0, MPI_LONG, &value, 1, MPI_LONG, 0, 1, 1, MPI_LONG, MPI_NO_OP,
                       win_);
    MPI_Win_flush(0, win_);
    return LOAD(value);
  }

 private:
  long* base_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
};

}  // namespace

int main(int argc, char** argv) {
  begin(argc, argv);
  {
    GlobalCounter counter;
    std::vector<int> drawn(60), everybody(60);
    for (long number = counter.next(); number < 60; number = counter.next()) {
      drawn[number] = 1;
      const long before = counter.add_to_total(number);
      CHECK(counter.total() >= before + number);
    }
    MPI_Allreduce(drawn.data(), everybody.data(), 60, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int numbers = 0;
    for (int times : everybody) {
      CHECK(times == 1);
      numbers += times;
    }
    if (rank == 0) printf("drew %d numbers, total %ld\n", numbers, counter.total());
  }
  MPI_Finalize();
}
