// The call site of an intercepted call.
#pragma once

#include <cstdint>

namespace photofinish {

struct CallSite {
  std::uint64_t pc;     // return address into the program
  std::uint64_t frame;  // frame address of our function
};

}  // namespace photofinish

// To be used in the function that the program calls.
#define CALL_SITE                                                   \
  ::photofinish::CallSite {                                         \
    reinterpret_cast<std::uint64_t>(__builtin_return_address(0)),   \
        reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) \
  }
