// main of UPC programs: one MPI process for each thread.
#include <cstdio>
#include <cstdlib>

#include "upc_runtime/api.h"
#include "upc_runtime/heap.h"
#include "upc_runtime/segment.h"
#include "upc_runtime/statics.h"

// The program's main, which the pass renames. A program has one; the library is linked without it.
extern "C" __attribute__((weak)) int __upc_main(int argc, char** argv, char** environment);

namespace photofinish::upc {
namespace {

void start(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_size(MPI_COMM_WORLD, &__upc_threads);
  MPI_Comm_rank(MPI_COMM_WORLD, &__upc_mythread);
  check_static_threads();
  open_segment(place_heaps(place_statics(kFirstOffset)));
  initialize_statics();
  open_heaps();
  fence();
  MPI_Barrier(communicator());
  // From here on shared memory is usable.
  initialize_addresses();
  fence();
  MPI_Barrier(communicator());
}

// Also for programs that call exit.
void end() {
  std::fflush(nullptr);
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  fence();
  MPI_Barrier(communicator());
  close_segment();
  MPI_Finalize();
}

}  // namespace
}  // namespace photofinish::upc

using namespace photofinish::upc;

UPC_API void upc_global_exit(int status) {
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, status);
  std::exit(status);
}

UPC_API int main(int argc, char** argv, char** environment) {
  if (__upc_main == nullptr) {
    std::fprintf(stderr, "upc: the program has no main\n");
    return 1;
  }
  start(&argc, &argv);
  std::atexit(end);
  return __upc_main(argc, argv, environment);
}
