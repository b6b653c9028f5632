// Reads private members of MPI_Status: MPI_Get_count would cost more than the rest of an event.
#pragma once

#include "frontend/mpi/real.h"

namespace photofinish::mpi {

inline std::int64_t status_bytes(const MPI_Status& status) {
#if defined(OPEN_MPI)
  return static_cast<std::int64_t>(status._ucount);
#else
  return static_cast<std::int64_t>(static_cast<std::uint32_t>(status.count_lo)) |
         (static_cast<std::int64_t>(static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1)
          << 32);
#endif
}

inline bool status_cancelled(const MPI_Status& status) {
#if defined(OPEN_MPI)
  return status._cancelled != 0;
#else
  return (status.count_hi_and_cancelled & 1) != 0;
#endif
}

}  // namespace photofinish::mpi
