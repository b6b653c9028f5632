// In which INTEGERs of a Fortran program its requests are kept. Open MPI's Fortran interface gives
// the functions of C variables of its own, so that their addresses say nothing, and small sends all
// have one handle (objects.h). MPICH passes on the program's variables.
#pragma once

#include <mpi.h>

#include <atomic>

namespace photofinish::mpi {

// Of the call that a Fortran program is in; null if there is none, or it has no requests.
extern thread_local constinit const MPI_Fint* t_fortran_requests;

// The library's own function of this name, which `known` remembers.
void* real_fortran(std::atomic<void*>& known, const char* name);

// Where the program keeps the request that a function of C finds at requests[i].
inline const void* variable_of(const MPI_Request* requests, int i) {
  return t_fortran_requests != nullptr ? static_cast<const void*>(t_fortran_requests + i)
                                       : requests + i;
}

}  // namespace photofinish::mpi
