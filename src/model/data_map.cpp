// Keeps maps small.
//
// A strided block names the bytes {offset + byte + Σ index·stride}, so its dimensions commute and
// it has one canonical form. Strides are made positive by starting at the other end, then sorted. A
// dimension whose stride is the length extends the length. One whose stride is count·stride of
// another extends that one's count. Example: a matrix sent row by row and one sent column by column
// have the same form.
//
// Lists of strided blocks (from indexed types and structs) are compressed by two rules, each a sort
// and one pass:
//   neighbors: a block that starts where another of the same dimensions ends is merged into it;
//   sequences: blocks of one shape at one distance become one block with one more dimension.
// Sequences are searched among blocks of one shape, not among neighbors in memory: an array of
// {char, int} is two interleaved sequences. Each round can create new neighbors and sequences: the
// blocks of a grid become rows, then a column of rows. So the rules repeat, on a long list only
// while a round removes a large part. normalize() stays O(n log n), and an irregular list is hardly
// changed.
//
// Arithmetic: displacements and counts come from the user's program and may be absurd. Overflow of
// int64 is detected before the number is used. The block is then dropped, since it cannot lie in
// any memory. Bounds and sizes saturate.
#include "model/data_map.h"

#include <algorithm>
#include <compare>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

namespace photofinish {
namespace {

using std::int64_t;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

// Lists up to this length are compressed until nothing changes.
constexpr std::size_t kShortList = 64;
// A sequence of this many blocks in an irregular list is hardly a coincidence.
constexpr std::size_t kLongRun = 4;

int64_t saturating_add(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return a < 0 ? kMin : kMax;
  return sum;
}

int64_t saturating_multiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return (a < 0) == (b < 0) ? kMax : kMin;
  return product;
}

int64_t saturating_subtract(int64_t a, int64_t b) {
  int64_t difference;
  if (__builtin_sub_overflow(a, b, &difference)) return a < 0 ? kMin : kMax;
  return difference;
}

// Makes strides positive. The bytes stay the same; the offset may change. False on overflow of
// int64.
bool turn_strides(Strided& strided) {
  for (Dimension& dimension : strided.dimensions) {
    if (dimension.stride >= 0) continue;
    int64_t reach;
    if (__builtin_mul_overflow(dimension.count - 1, dimension.stride, &reach) ||
        __builtin_add_overflow(strided.offset, reach, &strided.offset) ||
        __builtin_sub_overflow(int64_t{0}, dimension.stride, &dimension.stride))
      return false;
  }
  int64_t end;
  if (__builtin_add_overflow(strided.offset, strided.length, &end)) return false;
  for (const Dimension& dimension : strided.dimensions) {
    int64_t reach;
    if (__builtin_mul_overflow(dimension.count - 1, dimension.stride, &reach) ||
        __builtin_add_overflow(end, reach, &end))
      return false;
  }
  return true;
}

void sort_dimensions(std::vector<Dimension>& dimensions) {
  std::sort(dimensions.begin(), dimensions.end(), [](const Dimension& a, const Dimension& b) {
    return std::tie(a.stride, a.count) < std::tie(b.stride, b.count);
  });
}

// One pass suffices. Strides ascend, and a dimension that absorbs another grows beyond its stride,
// so no earlier dimension can fit any more.
void fold_dimensions(Strided& strided) {
  auto& dimensions = strided.dimensions;
  sort_dimensions(dimensions);
  auto kept = dimensions.begin();
  for (const Dimension outer : dimensions) {
    if (outer.stride == strided.length) {
      strided.length *= outer.count;
      continue;
    }
    const auto inner = std::find_if(dimensions.begin(), kept, [&](const Dimension& candidate) {
      return outer.stride == saturating_multiply(candidate.count, candidate.stride);
    });
    if (inner != kept)
      inner->count *= outer.count;
    else
      *kept++ = outer;
  }
  dimensions.erase(kept, dimensions.end());
  sort_dimensions(dimensions);                         // counts have changed
  if (dimensions.empty()) dimensions.shrink_to_fit();  // a long list must not keep unused capacity
}

// The canonical form of one block. False if the block is empty, or its bytes lie outside of any
// memory.
bool canonicalise(Strided& strided) {
  const auto empty = [](const Dimension& dimension) { return dimension.count <= 0; };
  if (strided.length <= 0 ||
      std::any_of(strided.dimensions.begin(), strided.dimensions.end(), empty))
    return false;
  std::erase_if(strided.dimensions,
                [](const Dimension& dimension) { return dimension.count == 1; });
  if (strided.dimensions.empty()) return strided.offset <= kMax - strided.length;
  if (!turn_strides(strided) || strided.bytes() == kMax) return false;
  fold_dimensions(strided);
  return true;
}

void canonicalise_all(std::vector<Strided>& footprint) {
  std::erase_if(footprint, [](Strided& strided) { return !canonicalise(strided); });
}

std::strong_ordering compare_dimensions(const Strided& a, const Strided& b) {
  if (a.dimensions.empty() && b.dimensions.empty())
    return std::strong_ordering::equal;  // most blocks of long lists
  return std::lexicographical_compare_three_way(
      a.dimensions.begin(), a.dimensions.end(), b.dimensions.begin(), b.dimensions.end(),
      [](const Dimension& x, const Dimension& y) {
        return std::tie(x.stride, x.count) <=> std::tie(y.stride, y.count);
      });
}

bool same_shape(const Strided& a, const Strided& b) {
  return a.length == b.length && a.dimensions == b.dimensions;
}

template <class Before>
void sort_footprint(std::vector<Strided>& footprint, Before before) {
  // Types usually list their blocks in order. The check costs one pass; sorting moves every block.
  if (!std::is_sorted(footprint.begin(), footprint.end(), before))
    std::sort(footprint.begin(), footprint.end(), before);
}

void sort_by_offset(std::vector<Strided>& footprint) {
  sort_footprint(footprint, [](const Strided& a, const Strided& b) {
    if (a.offset != b.offset) return a.offset < b.offset;
    if (a.length != b.length) return a.length < b.length;
    return compare_dimensions(a, b) < 0;
  });
}

void join_neighbors(std::vector<Strided>& footprint) {
  sort_footprint(footprint, [](const Strided& a, const Strided& b) {
    const auto order = compare_dimensions(a, b);
    if (order != 0) return order < 0;
    return std::tie(a.offset, a.length) < std::tie(b.offset, b.length);
  });
  auto last = footprint.begin();
  for (auto strided = std::next(last); strided != footprint.end(); ++strided) {
    if (last->offset + last->length == strided->offset && last->dimensions == strided->dimensions)
      last->length += strided->length;
    else if (++last != strided)
      *last = std::move(*strided);
  }
  footprint.erase(std::next(last), footprint.end());
}

// Distance from `from` to `to`. Offsets ascend, so the difference fits even if it overflows int64.
std::uint64_t distance(const Strided& from, const Strided& to) {
  return static_cast<std::uint64_t>(to.offset) - static_cast<std::uint64_t>(from.offset);
}

// A sequence of blocks of one shape at one distance.
struct Run {
  std::size_t count = 1;
  std::uint64_t stride = 0;
  bool operator==(const Run&) const = default;
};

Run run_at(const std::vector<Strided>& footprint, std::size_t first) {
  if (first + 1 >= footprint.size()) return {};
  const std::uint64_t stride = distance(footprint[first], footprint[first + 1]);
  std::size_t end = first + 1;
  while (end < footprint.size() && same_shape(footprint[first], footprint[end]) &&
         distance(footprint[end - 1], footprint[end]) == stride &&
         distance(footprint[first], footprint[end]) <= static_cast<std::uint64_t>(kMax))
    ++end;
  return end - first > 1 ? Run{end - first, stride} : Run{};
}

// Any two blocks form a sequence, so short ones are restricted: not if that splits a longer one,
// and in a long list only next to an equal one. Otherwise an irregular list would become unrelated
// pairs that interleave everywhere.
Run useful_run_at(const std::vector<Strided>& footprint, std::size_t first, const Run& previous) {
  const Run run = run_at(footprint, first);
  if (run.count >= kLongRun) return run;
  if (run.count == 2 && run_at(footprint, first + 1).count > 2) return {};
  if (footprint.size() <= kShortList || run == previous ||
      run == run_at(footprint, first + run.count))
    return run;
  return {};
}

void join_runs(std::vector<Strided>& footprint) {
  sort_footprint(footprint, [](const Strided& a, const Strided& b) {
    if (a.length != b.length) return a.length < b.length;
    const auto order = compare_dimensions(a, b);
    if (order != 0) return order < 0;
    return a.offset < b.offset;
  });
  Run run;
  std::size_t kept = 0;
  for (std::size_t first = 0; first < footprint.size(); first += run.count, ++kept) {
    run = useful_run_at(footprint, first, run);
    if (kept != first) footprint[kept] = std::move(footprint[first]);
    if (run.count > 1)
      footprint[kept].dimensions.push_back(
          {static_cast<int64_t>(run.count), static_cast<int64_t>(run.stride)});
  }
  footprint.resize(kept);
}

enum class Neighbors { Join, Keep };

void compress(std::vector<Strided>& footprint, Neighbors neighbors) {
  while (footprint.size() > 1) {
    const std::size_t before = footprint.size();
    if (neighbors == Neighbors::Join) join_neighbors(footprint);
    join_runs(footprint);
    if (footprint.size() == before) break;
    if (neighbors == Neighbors::Join) canonicalise_all(footprint);
    if (footprint.size() > kShortList && footprint.size() > before - before / 8) break;
  }
}

// Represents blocks of equal size at regular distances as one. Lengths count elements, not bytes.
// Neighbors are not merged, since elements of a block are one extent apart, whatever the distance
// of the blocks.
std::vector<Strided> pattern_of(const std::vector<Block>& blocks) {
  std::vector<Strided> pattern;
  pattern.reserve(blocks.size());
  for (const Block& block : blocks)
    if (block.count > 0) pattern.push_back({block.displacement, block.count, {}});
  compress(pattern, Neighbors::Keep);
  return pattern;
}

// Moves the block. On overflow it becomes empty, and normalize() drops it.
void shift(Strided& strided, int64_t bytes) {
  if (__builtin_add_overflow(strided.offset, bytes, &strided.offset)) strided.length = 0;
}

// From the lower to the upper bound, where the next element starts.
ByteRange marked_range(const DataMap& map) {
  return {map.lower_bound, saturating_add(map.lower_bound, map.extent)};
}

void set_marked_range(DataMap& map, ByteRange range) {
  map.lower_bound = range.begin;
  map.extent = saturating_subtract(range.end, range.begin);
}

// Also for marked ranges, which end before they begin if the extent is negative.
ByteRange hull(ByteRange a, ByteRange b) {
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

ByteRange shifted(ByteRange range, int64_t bytes) {
  return {saturating_add(range.begin, bytes), saturating_add(range.end, bytes)};
}

ByteRange repeated(ByteRange range, int64_t count, int64_t stride) {
  return hull(range, shifted(range, saturating_multiply(count - 1, stride)));
}

void extend(std::optional<ByteRange>& range, ByteRange part) {
  range = range ? hull(*range, part) : part;
}

ByteRange span(const Strided& strided) {
  ByteRange range{strided.offset, strided.offset + strided.length};
  for (const Dimension& dimension : strided.dimensions)
    range.end += (dimension.count - 1) * dimension.stride;
  return range;
}

void append_ranges(const Strided& strided, std::size_t dimensions, int64_t offset,
                   std::vector<ByteRange>& ranges) {
  if (dimensions == 0) {
    ranges.push_back({offset, offset + strided.length});
    return;
  }
  const Dimension& outer = strided.dimensions[dimensions - 1];
  // Stride 0 repeats the same ranges.
  const int64_t count = outer.stride == 0 ? 1 : outer.count;
  for (int64_t index = 0; index < count; ++index)
    append_ranges(strided, dimensions - 1, offset + index * outer.stride, ranges);
}

void merge_ranges(std::vector<ByteRange>& ranges) {
  if (ranges.empty()) return;
  std::sort(ranges.begin(), ranges.end(), [](const ByteRange& a, const ByteRange& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  auto last = ranges.begin();
  for (const ByteRange range : ranges) {
    if (range.begin <= last->end)
      last->end = std::max(last->end, range.end);
    else
      *++last = range;
  }
  ranges.erase(std::next(last), ranges.end());
}

}  // namespace

std::int64_t Strided::bytes() const {
  int64_t product = length;
  for (const Dimension& dimension : dimensions)
    product = saturating_multiply(product, dimension.count);
  return product;
}

bool DataMap::contiguous() const {
  return footprint.size() == 1 && footprint.front().dimensions.empty() &&
         footprint.front().length == extent;
}

ByteRange DataMap::bounds() const {
  if (footprint.empty()) return {};
  ByteRange range = span(footprint.front());
  for (const Strided& strided : footprint) range = hull(range, span(strided));
  return range;
}

DataMap contiguous_map(std::int64_t bytes) {
  if (bytes <= 0) return {};
  return {{{0, bytes, {}}}, bytes, 0, bytes};
}

DataMap repeated(const DataMap& map, std::int64_t count) {
  return repeated(map, count, map.extent);
}

DataMap repeated(const DataMap& map, std::int64_t count, std::int64_t stride_bytes) {
  if (count <= 0) return {};
  DataMap result = map;
  for (Strided& strided : result.footprint) strided.dimensions.push_back({count, stride_bytes});
  set_marked_range(result, repeated(marked_range(map), count, stride_bytes));
  normalize(result);
  return result;
}

DataMap located(const DataMap& map, const std::vector<Block>& blocks) {
  DataMap result;
  const std::vector<Strided> locations = pattern_of(blocks);
  result.footprint.reserve(locations.size() * map.footprint.size());
  for (const Strided& location : locations) {
    for (Strided strided : map.footprint) {
      shift(strided, location.offset);
      strided.dimensions.push_back({location.length, map.extent});
      strided.dimensions.insert(strided.dimensions.end(), location.dimensions.begin(),
                                location.dimensions.end());
      result.footprint.push_back(std::move(strided));
    }
  }
  std::optional<ByteRange> marked;
  for (const Block& block : blocks)
    if (block.count > 0)
      extend(marked,
             shifted(repeated(marked_range(map), block.count, map.extent), block.displacement));
  if (marked) set_marked_range(result, *marked);
  normalize(result);
  return result;
}

DataMap shifted(DataMap map, std::int64_t bytes) {
  set_marked_range(map, shifted(marked_range(map), bytes));
  for (Strided& strided : map.footprint) shift(strided, bytes);
  normalize(map);
  return map;
}

DataMap resized(DataMap map, std::int64_t lower_bound, std::int64_t extent) {
  map.lower_bound = lower_bound;
  map.extent = extent;
  return map;
}

DataMap joined(const std::vector<DataMap>& maps) {
  DataMap result;
  std::optional<ByteRange> marked;
  for (const DataMap& map : maps) {
    if (map.footprint.empty() && map.extent == 0) continue;
    result.footprint.insert(result.footprint.end(), map.footprint.begin(), map.footprint.end());
    extend(marked, marked_range(map));
  }
  if (marked) set_marked_range(result, *marked);
  normalize(result);
  return result;
}

void normalize(DataMap& map) {
  canonicalise_all(map.footprint);
  compress(map.footprint, Neighbors::Join);
  sort_by_offset(map.footprint);
  map.size = 0;
  for (const Strided& strided : map.footprint) map.size = saturating_add(map.size, strided.bytes());
}

std::vector<ByteRange> expand(const DataMap& map, std::int64_t count) {
  std::vector<ByteRange> ranges;
  for (const Strided& strided : repeated(map, count).footprint)
    append_ranges(strided, strided.dimensions.size(), strided.offset, ranges);
  merge_ranges(ranges);
  return ranges;
}

}  // namespace photofinish
