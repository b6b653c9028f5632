// One element of a one-sided atomic, with its operands and result, from which the owner
// reconstructs the order at that location.
#pragma once

#include <cstdint>

#include "model/access.h"

namespace photofinish {

// Operations on more elements are not treated as atomics. The lower limit is for arithmetic with
// operands; more of those are a computation, not a record with a flag.
inline constexpr std::int64_t kMaxAtomicElements = 64, kMaxAtomicOperands = 8;

struct AtomicOp {
  WorldRank rank;
  WorldRank owner;
  Uid win;
  std::uint64_t displacement = 0;  // the owner translates it to an address
  std::uint64_t offset = 0;        // in bytes, relative to the displacement
  ReduceOp op = ReduceOp::None;    // None: a store of the owner, with an unknown value
  Element element;
  Delivery delivery;
  bool fetches = false;
  bool has_result = false;
  std::uint64_t operand = 0, compare = 0, result = 0;  // the element's bytes, zero-extended
  // It took effect between these, in ticks of the rank's clock. The owner converts them to
  // nanoseconds since 1970, on one clock for all ranks with the same clock_id.
  std::uint64_t start = 0, done = ~std::uint64_t{0};
  std::uint64_t clock_id = 0;
  Timestamp begin = 0;
  Knowledge knows;                       // of its task, at its begin
  SyncPoint after = 0;                   // the phase of its begin
  Timestamp known = kNever;              // when the rank had the result
  SyncPoint known_after = kNoSyncPoint;  // the phase of that timestamp
};

}  // namespace photofinish
