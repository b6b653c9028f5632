// The calls of OpenSHMEM, numbered behind those of MPI.
#pragma once

#include "frontend/mpi/table/mpi_call.h"

namespace photofinish {

struct ShmemCall {
  enum Number : std::uint16_t {
    kBefore = MpiCall::kEnd - 1,
#define CALL(name, ...) kNumberOf_##name,
#include "frontend/shmem/table/calls.def"
    kEnd
  };
#define CALL(name, ...) static constexpr Call name{kNumberOf_##name};
#include "frontend/shmem/table/calls.def"
};

constexpr bool is_shmem(Call call) {
  return value_of(call) > ShmemCall::kBefore && value_of(call) < ShmemCall::kEnd;
}

}  // namespace photofinish
