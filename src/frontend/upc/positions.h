// Where the shared memory of the ranks is, for a confirming run. A rank and a position name the
// same bytes on all ranks.
#pragma once

#include <cstdint>
#include <optional>

#include "model/ids.h"

namespace photofinish::upc {

class Positions {
 public:
  virtual ~Positions() = default;
  // Of an address of this rank; null: it is no shared memory.
  virtual std::optional<std::uint64_t> position_of(std::uint64_t address) const = 0;
  // Of a displacement in a region.
  virtual std::uint64_t position_in(WinId region, std::uint64_t displacement) const = 0;
};

}  // namespace photofinish::upc
