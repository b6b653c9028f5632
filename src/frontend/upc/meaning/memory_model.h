// The memory model of shared objects: one copy of each. Strict accesses and atomics do not race
// with each other. They race with relaxed accesses, which race with each other.
#pragma once

#include "effects/region.h"
#include "model/definitions.h"

namespace photofinish::upc_meaning {

inline constexpr MemoryModel kShared = [] {
  MemoryModel model = kProcessMemory;
  model.name = "shared";
  constexpr auto kAtomic = static_cast<std::size_t>(AccessKind::Accumulate);
  model.conflicts[kAtomic][kAtomic] = Conflict::Never;
  return model;
}();

inline RegionTraits traits_of(const WinDefinition& definition) {
  return {.uid = definition.uid,
          .base = definition.base,
          .size = definition.size,
          .unit = 1,
          .model = &kShared,
          .accumulates = kShared.accumulates};
}

}  // namespace photofinish::upc_meaning
