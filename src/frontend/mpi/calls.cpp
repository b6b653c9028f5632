// Defines the intercepted functions from the table: MPI_Foo and PMPI_Foo for each row, with the
// types of mpi.h.
//
// Both names are needed, because Open MPI's Fortran bindings and other profiling tools call
// PMPI_Foo. Our MPI_Foo calls the next MPI_Foo, which may belong to another tool. If that tool
// calls PMPI_Foo, is_inside() is true, and the call is passed on.
#include "frontend/mpi/entry_points.h"

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

namespace photofinish::mpi {
namespace {

using namespace roles;

#define ENTRY(symbol, name, action, when, ...)                                                     \
  extern "C" [[gnu::visibility("default")]] int symbol(                                            \
      PARAMETERS_OF(::symbol __VA_OPT__(, ) __VA_ARGS__)) {                                        \
    const CallSite call_site = CALL_SITE;                                                          \
    return Interceptor<MpiCall::name, Action::action, When::when __VA_OPT__(, ) __VA_ARGS__>::run( \
        REAL(symbol), call_site ARGUMENTS_OF(__VA_ARGS__));                                        \
  }

}  // namespace

#define CALL(name, ...)          \
  ENTRY(name, name, __VA_ARGS__) \
  ENTRY(P##name, name, __VA_ARGS__)
#if MPI_VERSION >= 4
#define CALL4 CALL
#else
#define CALL4(...)
#endif
#if defined(OPEN_MPI) && defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define CALLX CALL
#else
#define CALLX(...)
#endif
#include "frontend/mpi/table/calls.def"

}  // namespace photofinish::mpi
