// The calls of UPC, numbered behind those of OpenSHMEM.
#pragma once

#include "frontend/shmem/table/shmem_call.h"

namespace photofinish {

struct UpcCall {
  enum Number : std::uint16_t {
    kBefore = ShmemCall::kEnd - 1,
#define CALL(name, ...) kNumberOf_##name,
#include "frontend/upc/table/calls.def"
    kEnd
  };
#define CALL(name, ...) static constexpr Call name{kNumberOf_##name};
#include "frontend/upc/table/calls.def"
};

constexpr bool is_upc(Call call) {
  return value_of(call) > UpcCall::kBefore && value_of(call) < UpcCall::kEnd;
}

}  // namespace photofinish
