// The order of the atomics that met at one location, rebuilt from what they wrote and read (docs/one-sided-races.md).
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "model/atomic.h"
#include "order/signal.h"

namespace photofinish {

struct RankSignal {
  WorldRank rank;
  Cut slice = 0;
  Signal signal;
};

// What a location holds; nothing: not known.
using AtomicValue = std::optional<std::uint64_t>;

// `ops`: all atomics of a period on one location, in any order; `location` makes the keys its own; `value` is what it held before, and
// holds after.
std::vector<RankSignal> order_atomics(std::vector<AtomicOp> ops, std::uint64_t location, AtomicValue& value);

}  // namespace photofinish
