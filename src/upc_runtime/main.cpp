// main of UPC programs: one MPI process for each thread.
#include <cstdio>
#include <cstdlib>

#include "upc_runtime/api.h"

// The program's main, which the pass renames. A program has one; the library is linked without it.
extern "C" __attribute__((weak)) int __upc_main(int argc, char** argv, char** environment);

// In another file, so that the tool can take their place.
UPC_API void __upc_init(int* argc, char*** argv);
UPC_API void __upc_finalize();

UPC_API int main(int argc, char** argv, char** environment) {
  if (__upc_main == nullptr) {
    std::fprintf(stderr, "upc: the program has no main\n");
    return 1;
  }
  __upc_init(&argc, &argv);
  std::atexit(__upc_finalize);  // also for programs that call exit
  return __upc_main(argc, argv, environment);
}
