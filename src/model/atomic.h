// One element of a one-sided atomic, with what it wrote and read: enough to rebuild the order of
// all that met there.
#pragma once

#include <cstdint>

#include "model/access.h"

namespace photofinish {

// One that is about more elements than this is not taken for an atomic; with operands, it is
// arithmetic rather than a record with a flag in it.
inline constexpr std::int64_t kMaxAtomicElements = 64, kMaxAtomicOperands = 8;

struct AtomicOp {
  WorldRank rank;
  WorldRank owner;
  Uid win;
  std::uint64_t displacement = 0;  // the owner makes an address of it
  std::uint64_t offset = 0;        // in bytes, behind that
  ReduceOp op = ReduceOp::None;  // None: a store of the owner, of which nobody knows what it wrote
  Element element;
  bool fetches = false;
  bool has_result = false;
  std::uint64_t operand = 0, compare = 0, result = 0;  // the element's bytes, zero-extended
  // It happened between the two, in ticks of the rank's clock; once the owner has it, in
  // nanoseconds since 1970, by one clock for all ranks with the same clock_id.
  std::uint64_t start = 0, done = ~std::uint64_t{0};
  std::uint64_t clock_id = 0;
  Timestamp begin = 0;
  SyncPoint after = 0;                   // the phase that it began in
  Timestamp known = kNever;              // when the rank had the result
  SyncPoint known_after = kNoSyncPoint;  // the phase of that timestamp
};

}  // namespace photofinish
