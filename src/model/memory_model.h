// Memory models: which accesses to the same bytes conflict. Each is one table that a front end
// provides with its regions (effects/region.h). The detector names none of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/access.h"

namespace photofinish {

// ByElement: accumulates are atomic for each element, so they conflict only if their elements or
// operations differ (AccumulateRules).
enum class Conflict : std::uint8_t { Never, ByElement, Always };
inline constexpr std::size_t kAccessKinds = 5;

struct AccumulateRules {
  bool same_op_only = false;  // accumulates with different operations conflict
  bool ordered = true;        // accumulates of one rank to one region keep their order
};

struct MemoryModel {
  std::string_view name;
  Conflict conflicts[kAccessKinds][kAccessKinds];  // by AccessKind; symmetric
  // The owner's stores and other ranks' updates go to different copies of the region. So they
  // conflict even if they share no byte.
  bool separate_copies = false;
  AccumulateRules accumulates;  // unless the region says otherwise

  Conflict of(AccessKind a, AccessKind b) const {
    return conflicts[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
  }
};

// Memory of one process, without a region: its own loads and stores, and those of operations that
// use a buffer.
inline constexpr MemoryModel kProcessMemory{
    .name = "process",
    .conflicts =
        {
            // load, store, get, put, accumulate
            {Conflict::Never, Conflict::Always, Conflict::Never, Conflict::Always,
             Conflict::Always},
            {Conflict::Always, Conflict::Always, Conflict::Always, Conflict::Always,
             Conflict::Always},
            {Conflict::Never, Conflict::Always, Conflict::Never, Conflict::Always,
             Conflict::Always},
            {Conflict::Always, Conflict::Always, Conflict::Always, Conflict::Always,
             Conflict::Always},
            {Conflict::Always, Conflict::Always, Conflict::Always, Conflict::Always,
             Conflict::ByElement},
        },
    .separate_copies = false,
    .accumulates = {},
};

}  // namespace photofinish
