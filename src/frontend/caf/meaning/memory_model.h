// The memory model of coarrays: one copy of each. Atomics do not race with each other. They race
// with other accesses, which race with each other.
#pragma once

#include "effects/region.h"
#include "model/definitions.h"

namespace photofinish::caf_meaning {

inline constexpr MemoryModel kCoarray = [] {
  MemoryModel model = kProcessMemory;
  model.name = "coarray";
  constexpr auto kAtomic = static_cast<std::size_t>(AccessKind::Accumulate);
  model.conflicts[kAtomic][kAtomic] = Conflict::Never;
  return model;
}();

inline RegionTraits traits_of(const WinDefinition& definition) {
  return {.uid = definition.uid,
          .base = definition.base,
          .size = definition.size,
          .unit = 1,
          .model = &kCoarray,
          .accumulates = kCoarray.accumulates};
}

}  // namespace photofinish::caf_meaning
