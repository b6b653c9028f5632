// The MPI calls. Their numbers follow those of the program's calls (model/call.h).
#pragma once

#include "model/call.h"

namespace photofinish {

struct MpiCall {
  enum Number : std::uint16_t {
    kBefore = static_cast<std::uint16_t>(Call::kProgramCalls) - 1,
#define CALL(name, ...) kNumberOf_##name,
#include "frontend/mpi/table/calls.def"
#define CALL(name, ...) kNumberOf_##name,
#include "frontend/mpi/table/other_calls.def"
    kEnd
  };
#define CALL(name, ...) static constexpr Call name{kNumberOf_##name};
#include "frontend/mpi/table/calls.def"
#define CALL(name, ...) static constexpr Call name{kNumberOf_##name};
#include "frontend/mpi/table/other_calls.def"
};

}  // namespace photofinish
