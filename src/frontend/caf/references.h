// Where a chain of references leads: b[2]%data(2:6:2) is a component of the coarray b and an array
// section of it. An allocatable component is elsewhere on each image, so its address and bounds are
// read from the image.
#pragma once

#include <optional>
#include <vector>

#include "frontend/caf/coarrays.h"
#include "frontend/caf/sections.h"

namespace photofinish::caf {

struct Referenced {
  WinId region;
  std::uint64_t begin = 0;  // in the region
  std::vector<Piece> pieces;
};

// Nothing: the coarray is not known, or a component is not allocated.
std::optional<Referenced> follow_references(void* token, int image, const Reference* references);

}  // namespace photofinish::caf
