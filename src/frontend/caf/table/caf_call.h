// The calls of coarray programs, numbered behind those of UPC.
#pragma once

#include "frontend/upc/table/upc_call.h"

namespace photofinish {

struct CafCall {
  enum Number : std::uint16_t {
    kBefore = UpcCall::kEnd - 1,
#define CALL(name, ...) kNumberOf_##name,
#include "frontend/caf/table/calls.def"
    kEnd
  };
#define CALL(name, ...) static constexpr Call name{kNumberOf_##name};
#include "frontend/caf/table/calls.def"
};

constexpr bool is_caf(Call call) {
  return value_of(call) > CafCall::kBefore && value_of(call) < CafCall::kEnd;
}

}  // namespace photofinish
