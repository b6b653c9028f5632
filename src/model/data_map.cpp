// How maps stay small.
//
// A box names the bytes {offset + byte + Σ index·stride}, so its dimensions commute: nothing
// depends on which one is the inner one. That gives each box one canonical form. Strides are made
// positive by starting at the other end, then sorted; a dimension whose stride is the length
// extends the length, and one whose stride is count·stride of another extends that one's count. A
// matrix sent row by row and one sent column by column end as the same box.
//
// Lists of boxes (from indexed types and structs) are made short by two rules, each a sort and one
// pass:
//   neighbours: a box that starts where another of the same dimensions ends becomes part of it;
//   runs:       boxes of one shape at one distance become one box with one more dimension.
// Runs are looked for among boxes of one shape, not among neighbours in memory: an array of {char,
// int} is two runs that interleave. Each round can make new neighbours and runs (an indexed list of
// a grid's blocks is first rows, then a column of rows), so the rules repeat, but on a long list
// only while a round removes a good part of it: normalise() stays O(n log n), and an irregular list
// is left nearly as it is.
//
// Arithmetic: displacements and counts come from the user's program and may be absurd. Whatever
// leaves int64 is noticed before it is used; the box is dropped, since it cannot lie in any memory,
// and bounds and sizes saturate.
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

// Lists up to this length are compressed until nothing changes, however little each round removes.
constexpr std::size_t kShortList = 64;
// A run of this many boxes in an irregular list is hardly an accident.
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

// Makes strides positive; the box keeps its bytes but may start at another of them. False if a
// number leaves int64.
bool turn_strides(Box& box) {
  for (Dimension& dimension : box.dimensions) {
    if (dimension.stride >= 0) continue;
    int64_t reach;
    if (__builtin_mul_overflow(dimension.count - 1, dimension.stride, &reach) ||
        __builtin_add_overflow(box.offset, reach, &box.offset) ||
        __builtin_sub_overflow(int64_t{0}, dimension.stride, &dimension.stride))
      return false;
  }
  int64_t end;
  if (__builtin_add_overflow(box.offset, box.length, &end)) return false;
  for (const Dimension& dimension : box.dimensions) {
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

// One pass suffices: strides ascend, and what a dimension is folded into grows beyond that
// dimension's stride, so no dimension looked at before can fit it any more.
void fold_dimensions(Box& box) {
  auto& dimensions = box.dimensions;
  sort_dimensions(dimensions);
  auto kept = dimensions.begin();
  for (const Dimension outer : dimensions) {
    if (outer.stride == box.length) {
      box.length *= outer.count;
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
  sort_dimensions(dimensions);  // counts have changed
  if (dimensions.empty())
    dimensions.shrink_to_fit();  // a long list of blocks must not keep what was folded away
}

// The canonical form of one box. False if the box names no bytes, or bytes that no memory has.
bool canonicalise(Box& box) {
  const auto empty = [](const Dimension& dimension) { return dimension.count <= 0; };
  if (box.length <= 0 || std::any_of(box.dimensions.begin(), box.dimensions.end(), empty))
    return false;
  std::erase_if(box.dimensions, [](const Dimension& dimension) { return dimension.count == 1; });
  if (box.dimensions.empty()) return box.offset <= kMax - box.length;
  if (!turn_strides(box) || box.bytes() == kMax) return false;
  fold_dimensions(box);
  return true;
}

void canonicalise_all(std::vector<Box>& boxes) {
  std::erase_if(boxes, [](Box& box) { return !canonicalise(box); });
}

std::strong_ordering compare_dimensions(const Box& a, const Box& b) {
  if (a.dimensions.empty() && b.dimensions.empty())
    return std::strong_ordering::equal;  // most boxes of long lists
  return std::lexicographical_compare_three_way(
      a.dimensions.begin(), a.dimensions.end(), b.dimensions.begin(), b.dimensions.end(),
      [](const Dimension& x, const Dimension& y) {
        return std::tie(x.stride, x.count) <=> std::tie(y.stride, y.count);
      });
}

bool same_shape(const Box& a, const Box& b) {
  return a.length == b.length && a.dimensions == b.dimensions;
}

template <class Before>
void sort_boxes(std::vector<Box>& boxes, Before before) {
  // Types usually list their blocks in order: looking costs one pass, sorting costs a move of every
  // box.
  if (!std::is_sorted(boxes.begin(), boxes.end(), before))
    std::sort(boxes.begin(), boxes.end(), before);
}

void sort_by_offset(std::vector<Box>& boxes) {
  sort_boxes(boxes, [](const Box& a, const Box& b) {
    if (a.offset != b.offset) return a.offset < b.offset;
    if (a.length != b.length) return a.length < b.length;
    return compare_dimensions(a, b) < 0;
  });
}

void join_neighbours(std::vector<Box>& boxes) {
  sort_boxes(boxes, [](const Box& a, const Box& b) {
    const auto order = compare_dimensions(a, b);
    if (order != 0) return order < 0;
    return std::tie(a.offset, a.length) < std::tie(b.offset, b.length);
  });
  auto last = boxes.begin();
  for (auto box = std::next(last); box != boxes.end(); ++box) {
    if (last->offset + last->length == box->offset && last->dimensions == box->dimensions)
      last->length += box->length;
    else if (++last != box)
      *last = std::move(*box);
  }
  boxes.erase(std::next(last), boxes.end());
}

// How far `to` lies behind `from`; offsets ascend, so the difference fits where int64 would
// overflow.
std::uint64_t distance(const Box& from, const Box& to) {
  return static_cast<std::uint64_t>(to.offset) - static_cast<std::uint64_t>(from.offset);
}

// Boxes of one shape at one distance.
struct Run {
  std::size_t count = 1;
  std::uint64_t stride = 0;
  bool operator==(const Run&) const = default;
};

Run run_at(const std::vector<Box>& boxes, std::size_t first) {
  if (first + 1 >= boxes.size()) return {};
  const std::uint64_t stride = distance(boxes[first], boxes[first + 1]);
  std::size_t end = first + 1;
  while (end < boxes.size() && same_shape(boxes[first], boxes[end]) &&
         distance(boxes[end - 1], boxes[end]) == stride &&
         distance(boxes[first], boxes[end]) <= static_cast<std::uint64_t>(kMax))
    ++end;
  return end - first > 1 ? Run{end - first, stride} : Run{};
}

// Any two boxes are a run, so short runs are taken with care: not if that would break up a longer
// one, and in a long list only side by side with an equal one. Else an irregular list would end as
// pairs that have nothing to do with each other and interleave all over the memory.
Run useful_run_at(const std::vector<Box>& boxes, std::size_t first, const Run& previous) {
  const Run run = run_at(boxes, first);
  if (run.count >= kLongRun) return run;
  if (run.count == 2 && run_at(boxes, first + 1).count > 2) return {};
  if (boxes.size() <= kShortList || run == previous || run == run_at(boxes, first + run.count))
    return run;
  return {};
}

void join_runs(std::vector<Box>& boxes) {
  sort_boxes(boxes, [](const Box& a, const Box& b) {
    if (a.length != b.length) return a.length < b.length;
    const auto order = compare_dimensions(a, b);
    if (order != 0) return order < 0;
    return a.offset < b.offset;
  });
  Run run;
  std::size_t kept = 0;
  for (std::size_t first = 0; first < boxes.size(); first += run.count, ++kept) {
    run = useful_run_at(boxes, first, run);
    if (kept != first) boxes[kept] = std::move(boxes[first]);
    if (run.count > 1)
      boxes[kept].dimensions.push_back(
          {static_cast<int64_t>(run.count), static_cast<int64_t>(run.stride)});
  }
  boxes.resize(kept);
}

enum class Neighbours { Join, Keep };

void compress(std::vector<Box>& boxes, Neighbours neighbours) {
  while (boxes.size() > 1) {
    const std::size_t before = boxes.size();
    if (neighbours == Neighbours::Join) join_neighbours(boxes);
    join_runs(boxes);
    if (boxes.size() == before) break;
    if (neighbours == Neighbours::Join) canonicalise_all(boxes);
    if (boxes.size() > kShortList && boxes.size() > before - before / 8) break;
  }
}

// Where blocks of equal size lie regularly, one box says so: its length counts elements, not bytes,
// and neighbours stay apart, since a block's elements lie one extent from each other, whatever the
// distance of the blocks.
std::vector<Box> pattern_of(const std::vector<Block>& blocks) {
  std::vector<Box> pattern;
  pattern.reserve(blocks.size());
  for (const Block& block : blocks)
    if (block.count > 0) pattern.push_back({block.displacement, block.count, {}});
  compress(pattern, Neighbours::Keep);
  return pattern;
}

// Moves the box; if that leaves int64, the box becomes empty and normalise() drops it.
void shift(Box& box, int64_t bytes) {
  if (__builtin_add_overflow(box.offset, bytes, &box.offset)) box.length = 0;
}

// The range from the lower to the upper bound, where the next element starts.
ByteRange marked_range(const DataMap& map) {
  return {map.lower_bound, saturating_add(map.lower_bound, map.extent)};
}

void set_marked_range(DataMap& map, ByteRange range) {
  map.lower_bound = range.begin;
  map.extent = saturating_subtract(range.end, range.begin);
}

// Of marked ranges, too, which end before they begin if the extent is negative.
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

ByteRange span(const Box& box) {
  ByteRange range{box.offset, box.offset + box.length};
  for (const Dimension& dimension : box.dimensions)
    range.end += (dimension.count - 1) * dimension.stride;
  return range;
}

void append_ranges(const Box& box, std::size_t dimensions, int64_t offset,
                   std::vector<ByteRange>& ranges) {
  if (dimensions == 0) {
    ranges.push_back({offset, offset + box.length});
    return;
  }
  const Dimension& outer = box.dimensions[dimensions - 1];
  const int64_t count =
      outer.stride == 0 ? 1 : outer.count;  // the same bytes again are the same ranges
  for (int64_t index = 0; index < count; ++index)
    append_ranges(box, dimensions - 1, offset + index * outer.stride, ranges);
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

std::int64_t Box::bytes() const {
  int64_t product = length;
  for (const Dimension& dimension : dimensions)
    product = saturating_multiply(product, dimension.count);
  return product;
}

bool DataMap::contiguous() const {
  return boxes.size() == 1 && boxes.front().dimensions.empty() && boxes.front().length == extent;
}

ByteRange DataMap::bounds() const {
  if (boxes.empty()) return {};
  ByteRange range = span(boxes.front());
  for (const Box& box : boxes) range = hull(range, span(box));
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
  for (Box& box : result.boxes) box.dimensions.push_back({count, stride_bytes});
  set_marked_range(result, repeated(marked_range(map), count, stride_bytes));
  normalise(result);
  return result;
}

DataMap placed(const DataMap& map, const std::vector<Block>& blocks) {
  DataMap result;
  const std::vector<Box> places = pattern_of(blocks);
  result.boxes.reserve(places.size() * map.boxes.size());
  for (const Box& place : places) {
    for (Box box : map.boxes) {
      shift(box, place.offset);
      box.dimensions.push_back({place.length, map.extent});
      box.dimensions.insert(box.dimensions.end(), place.dimensions.begin(), place.dimensions.end());
      result.boxes.push_back(std::move(box));
    }
  }
  std::optional<ByteRange> marked;
  for (const Block& block : blocks)
    if (block.count > 0)
      extend(marked,
             shifted(repeated(marked_range(map), block.count, map.extent), block.displacement));
  if (marked) set_marked_range(result, *marked);
  normalise(result);
  return result;
}

DataMap shifted(DataMap map, std::int64_t bytes) {
  set_marked_range(map, shifted(marked_range(map), bytes));
  for (Box& box : map.boxes) shift(box, bytes);
  normalise(map);
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
    if (map.boxes.empty() && map.extent == 0) continue;
    result.boxes.insert(result.boxes.end(), map.boxes.begin(), map.boxes.end());
    extend(marked, marked_range(map));
  }
  if (marked) set_marked_range(result, *marked);
  normalise(result);
  return result;
}

void normalise(DataMap& map) {
  canonicalise_all(map.boxes);
  compress(map.boxes, Neighbours::Join);
  sort_by_offset(map.boxes);
  map.size = 0;
  for (const Box& box : map.boxes) map.size = saturating_add(map.size, box.bytes());
}

std::vector<ByteRange> expand(const DataMap& map, std::int64_t count) {
  std::vector<ByteRange> ranges;
  for (const Box& box : repeated(map, count).boxes)
    append_ranges(box, box.dimensions.size(), box.offset, ranges);
  merge_ranges(ranges);
  return ranges;
}

}  // namespace photofinish
