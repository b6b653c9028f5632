#include "frontend/mpi/fortran.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace photofinish::mpi {

thread_local constinit const MPI_Fint* t_fortran_requests = nullptr;

namespace {

#if defined(OPEN_MPI)
constexpr const char* kFortranLibrary = "libmpi_mpifh.so.40";
#else
constexpr const char* kFortranLibrary = "libmpichfort.so.12";
#endif

// Returns the next definition after ours, or that of a library that was loaded with RTLD_LOCAL.
[[gnu::cold, gnu::noinline]] void* find_fortran(const char* name) {
  if (void* const symbol = dlsym(RTLD_NEXT, name)) return symbol;
  if (void* const library = dlopen(kFortranLibrary, RTLD_NOLOAD | RTLD_LAZY)) {
    void* const symbol = dlsym(library, name);
    dlclose(library);  // drops our reference only
    if (symbol != nullptr) return symbol;
  }
  std::fprintf(stderr,
               "photofinish: symbol lookup error: no MPI library in this process defines %s\n",
               name);
  std::abort();
}

}  // namespace

void* real_fortran(std::atomic<void*>& known, const char* name) {
  void* function = known.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = find_fortran(name);
    known.store(function, std::memory_order_relaxed);
  }
  return function;
}

#if defined(OPEN_MPI)
namespace {

template <class... Arguments>
void pass_on(std::atomic<void*>& real, const char* name, void* requests, Arguments... arguments) {
  void* const function = real_fortran(real, name);
  const MPI_Fint* const outer =
      std::exchange(t_fortran_requests, static_cast<const MPI_Fint*>(requests));
  reinterpret_cast<void (*)(Arguments...)>(function)(arguments...);
  t_fortran_requests = outer;
}

}  // namespace

#define P1 void* a0
#define P2 P1, void* a1
#define P3 P2, void* a2
#define P4 P3, void* a3
#define P5 P4, void* a4
#define P6 P5, void* a5
#define P8 P6, void *a6, void *a7
#define P10 P8, void *a8, void *a9
#define P11 P10, void* a10
#define P14 P11, void *a11, void *a12, void *a13
#define A2 a0, a1
#define A3 A2, a2
#define A4 A3, a3
#define A5 A4, a4
#define A6 A5, a5
#define A8 A6, a6, a7
#define A10 A8, a8, a9
#define A11 A10, a10
#define A14 A11, a11, a12, a13
#define SYMBOL(symbol, count, request)                              \
  extern "C" [[gnu::visibility("default")]] void symbol(P##count) { \
    static constinit std::atomic<void*> real{nullptr};              \
    pass_on(real, #symbol, a##request, A##count);                   \
  }
// Defines the symbols that programs call and those that the module mpi_f08 calls. `count`: number
// of arguments; `request`: the index of the request, or of the array of requests.
#define FORTRAN(name, count, request)    \
  SYMBOL(mpi_##name##_, count, request)  \
  SYMBOL(pmpi_##name##_, count, request) \
  SYMBOL(ompi_##name##_f, count, request)

FORTRAN(isend, 8, 6)
FORTRAN(ibsend, 8, 6)
FORTRAN(issend, 8, 6)
FORTRAN(irsend, 8, 6)
FORTRAN(irecv, 8, 6)
FORTRAN(imrecv, 6, 4)
FORTRAN(rput, 10, 8)
FORTRAN(rget, 10, 8)
FORTRAN(raccumulate, 11, 9)
FORTRAN(rget_accumulate, 14, 12)
FORTRAN(wait, 3, 0)
FORTRAN(waitall, 4, 1)
FORTRAN(waitany, 5, 1)
FORTRAN(waitsome, 6, 1)
FORTRAN(test, 4, 0)
FORTRAN(testall, 5, 1)
FORTRAN(testany, 6, 1)
FORTRAN(testsome, 6, 1)
FORTRAN(request_free, 2, 0)
FORTRAN(cancel, 2, 0)
#endif

}  // namespace photofinish::mpi
