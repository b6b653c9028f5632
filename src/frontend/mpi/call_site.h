// Where the program is that called us.
#pragma once

#include <cstdint>

namespace photofinish::mpi {

struct CallSite {
  std::uint64_t pc;     // the return address into the program
  std::uint64_t frame;  // of the function that it called
};

}  // namespace photofinish::mpi

// In that function.
#define CALL_SITE                                                   \
  ::photofinish::mpi::CallSite {                                    \
    reinterpret_cast<std::uint64_t>(__builtin_return_address(0)),   \
        reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) \
  }
