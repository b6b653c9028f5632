// Finds the INTEGER variables in which a Fortran program stores its requests. They identify
// requests that have the same handle, as all small sends do (objects.h). Open MPI's Fortran
// bindings pass variables of their own to the C functions, so these addresses do not help. MPICH
// passes the program's variables.
#pragma once

#include <mpi.h>

#include <atomic>

namespace photofinish::mpi {

// The requests of the Fortran call that the thread is in. Null if it is in none, or in one without
// requests.
extern thread_local constinit const MPI_Fint* t_fortran_requests;

// Returns the MPI library's own function of this name. `known` caches it.
void* real_fortran(std::atomic<void*>& known, const char* name);

// The variable of the program that holds the request which a C function finds at requests[i].
inline const void* variable_of(const MPI_Request* requests, int i) {
  return t_fortran_requests != nullptr ? static_cast<const void*>(t_fortran_requests + i)
                                       : requests + i;
}

}  // namespace photofinish::mpi
