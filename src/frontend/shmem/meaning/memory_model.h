// The memory model of symmetric memory: one copy of each object. Atomics are atomic to each other
// if their elements have the same size and coincide. They race with puts, gets, loads and stores.
#pragma once

#include "effects/region.h"
#include "model/definitions.h"

namespace photofinish::shmem_meaning {

inline constexpr MemoryModel kSymmetric = [] {
  MemoryModel model = kProcessMemory;
  model.name = "symmetric";
  return model;
}();

inline RegionTraits traits_of(const WinDefinition& definition) {
  return {.uid = definition.uid,
          .base = definition.base,
          .size = definition.size,
          .unit = 1,
          .model = &kSymmetric,
          .accumulates = kSymmetric.accumulates};
}

}  // namespace photofinish::shmem_meaning
