#include "effects/segments.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace photofinish {
namespace {

// From the first byte to one past the last. Strides are not negative (model/data_map.h).
ByteRange bounds_of(const Strided& strided) {
  std::int64_t last = strided.offset + strided.length;
  for (const Dimension& dimension : strided.dimensions)
    last += (dimension.count - 1) * dimension.stride;
  return {strided.offset, last};
}

}  // namespace

void Segments::add(Uid region, const WinSegment& segment) {
  if (segment.size == 0) return;  // has the address of the next one
  segments_[static_cast<std::int64_t>(segment.address)] = {segment, region};
}

void Segments::remove(Uid region) {
  std::erase_if(segments_, [&](const auto& entry) { return entry.second.region == region; });
}

Segments::Zone Segments::zone_at(std::int64_t address) const {
  const auto next = segments_.upper_bound(address);
  if (next != segments_.begin())
    if (const Segment& segment = std::prev(next)->second; address < segment.end())
      return {&segment, segment.end()};
  return {nullptr,
          next != segments_.end() ? next->first : std::numeric_limits<std::int64_t>::max()};
}

bool Segments::lie_in_one(const ByteRange& bytes, const Segment*& segment) const {
  const Zone zone = zone_at(bytes.begin);
  segment = zone.segment;
  return bytes.end <= zone.end;
}

void Segments::split(const Strided& strided, std::vector<Piece>& pieces) const {
  const ByteRange bounds = bounds_of(strided);
  const Segment* segment = nullptr;
  if (lie_in_one(bounds, segment)) {
    pieces.push_back({segment, strided});
    return;
  }
  if (strided.dimensions.empty()) {
    for (std::int64_t at = bounds.begin; at < bounds.end;) {
      const Zone zone = zone_at(at);
      const std::int64_t end = std::min(bounds.end, zone.end);
      pieces.push_back({zone.segment, {at, end - at, {}}});
      at = end;
    }
    return;
  }
  // Steps of the outer dimension that lie in one zone stay together.
  Strided inner = strided;
  const Dimension outer = inner.dimensions.back();
  inner.dimensions.pop_back();
  if (outer.stride == 0) return split(inner, pieces);  // the same bytes each time
  for (std::int64_t step = 0; step < outer.count;) {
    const ByteRange first = bounds_of(inner);
    const Zone zone = zone_at(first.begin);
    if (first.end > zone.end) {
      split(inner, pieces);
      inner.offset += outer.stride;
      ++step;
      continue;
    }
    const std::int64_t count =
        std::min(outer.count - step, (zone.end - first.end) / outer.stride + 1);
    Piece& piece = pieces.emplace_back(zone.segment, inner);
    if (count > 1) piece.bytes.dimensions.push_back({count, outer.stride});
    inner.offset += count * outer.stride;
    step += count;
  }
}

}  // namespace photofinish
