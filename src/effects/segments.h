// The parts of shared windows that are mapped into a rank: whose memory an address is.
//
// Rule: an access through shared memory is one access for each owner, and all of its strided blocks
// that lie in one part stay as they are. Only blocks across the border of two parts are cut. So the
// cost is that of the borders, however many rows a block has.
//
// Example: parts of 100 bytes at 0 and at 100; 8 bytes, repeated 5 times at distance 40, from 10
// on. The first part has 3 rows from 10 on, the second one 2 rows from 130 on.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/data_map.h"
#include "model/definitions.h"
#include "model/ids.h"

namespace photofinish {

class Segments {
 public:
  struct Segment {
    WinSegment position;
    Uid region;
    std::int64_t begin() const { return static_cast<std::int64_t>(position.address); }
    std::int64_t end() const { return begin() + static_cast<std::int64_t>(position.size); }
  };
  // A part of a strided block that lies in one segment; null: in none.
  struct Piece {
    const Segment* segment = nullptr;
    Strided bytes;
  };

  // Segments do not overlap. Pointers to them are valid until the next add() or remove().
  void add(Uid region, const WinSegment& segment);
  void remove(Uid region);
  bool empty() const { return segments_.empty(); }

  // Whether all of these bytes lie in one segment, or in none (null).
  bool lie_in_one(const ByteRange& bytes, const Segment*& segment) const;
  // Adds the pieces to the list.
  void split(const Strided& strided, std::vector<Piece>& pieces) const;

 private:
  // What surrounds an address: a segment, or the gap between two.
  struct Zone {
    const Segment* segment = nullptr;
    std::int64_t end = 0;
  };
  Zone zone_at(std::int64_t address) const;

  std::map<std::int64_t, Segment> segments_;  // by address
};

}  // namespace photofinish
