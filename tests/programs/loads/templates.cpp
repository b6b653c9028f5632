// A class template over a window: its stores, through operator[] and an array expression, race with
// a put of another rank. Fixed: a fence between.
#include "../rma/rma.h"
// run: ranks=2
// output: last 12
// output buggy: last *
// expect race: put @{put} store @{store}

template <class Left, class Right>
struct Sum {
  const Left& left;
  const Right& right;
  auto operator[](int i) const { return left[i] + right[i]; }
};

template <class T, int Size>
class WindowArray {
 public:
  WindowArray() {
    MPI_Win_allocate(whole_lines(Size * sizeof(T)), sizeof(T), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &base_, &win_);
    for (int i = 0; i < Size; ++i) base_[i] = T(i);
    MPI_Win_fence(0, win_);
  }
  ~WindowArray() { MPI_Win_free(&win_); }
  T operator[](int i) const { return base_[i]; }
  template <class Expression>
  WindowArray& operator=(const Expression& expression) {
    for (int i = 0; i < Size; ++i) base_[i] = expression[i]; /*{store}*/
    return *this;
  }
  MPI_Win win() const { return win_; }

 private:
  T* base_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
};

int main(int argc, char** argv) {
  begin(argc, argv);
  {
    WindowArray<long, 7> a, b;
    const long value = 12;
    if (rank == 1) a = Sum<decltype(b), decltype(b)>{b, b};
#ifdef FIXED
    MPI_Win_fence(0, a.win());
#endif
    if (rank == 0) MPI_Put(&value, 1, MPI_LONG, 1, 5, 1, MPI_LONG, a.win()); /*{put}*/
    MPI_Win_fence(0, a.win());
    if (rank == 1) printf("last %ld\n", a[5]);
  }
  MPI_Finalize();
}
