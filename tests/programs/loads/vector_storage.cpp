// A std::vector grows and frees its storage while that is the buffer of a pending send; the storage
// of another one is read while a receive into it is pending. Fixed: the waits come first.
#include <algorithm>
#include <memory>
#include <vector>

#include "../rma/rma.h"
// run: ranks=2
// output: largest 7
// output buggy: largest *
// expect race: load @{send} release @{release}
// expect race: store @{receive} load @{load}

// Like std::allocator, but with a line in this file.
template <class T>
struct Allocator {
  using value_type = T;
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory); /*{release}*/ }
  bool operator==(const Allocator&) const { return true; }
  bool operator!=(const Allocator&) const { return false; }
};
using Vector = std::vector<int, Allocator<int>>;

int main(int argc, char** argv) {
  begin(argc, argv);
  Vector sent = {5, 7, 3}, received(3);
  MPI_Request requests[2];
  MPI_Irecv(received.data(), 3, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]); /*{receive}*/
  MPI_Isend(sent.data(), 3, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);     /*{send}*/
#ifdef FIXED
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#endif
  sent.push_back(argc);
  int largest = 0;
  for (int i = 0; i < 3; ++i) {
    const int value = received[i]; /*{load}*/
    largest = std::max(largest, value);
  }
#ifndef FIXED
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#endif
  if (rank == 0) printf("largest %d\n", largest);
  MPI_Finalize();
}
