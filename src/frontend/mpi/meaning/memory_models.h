// The memory models of MPI windows.
#pragma once

#include "effects/region.h"
#include "model/definitions.h"

namespace photofinish::mpi_meaning {

// MPI_WIN_UNIFIED: one copy of the window.
inline constexpr MemoryModel kUnified = [] {
  MemoryModel model = kProcessMemory;
  model.name = "unified";
  return model;
}();

// MPI_WIN_SEPARATE: a store conflicts with every update of the same window, even of other bytes.
inline constexpr MemoryModel kSeparate = [] {
  MemoryModel model = kUnified;
  model.name = "separate";
  model.separate_copies = true;
  return model;
}();

RegionTraits region_of(const WinDefinition& window);

}  // namespace photofinish::mpi_meaning
