// Which bytes a datatype touches, relative to the address it is used with.
//
// A map is a set of boxes. A box is `length` bytes at `offset`, repeated over up to a handful of
// dimensions, each `count` times at a distance of `stride` bytes: a vector of vectors is one box
// with two dimensions, however many elements it has. Only an irregular indexed type costs memory
// for each of its blocks. The order of the bytes in a message is not kept: who touches which bytes
// does not depend on it.
//
// Invariants (normalize() establishes them):
//  - length > 0; every dimension has count > 1; no dimension continues its inner ones without a gap
//  (it is folded into length);
//  - strides ascend and are not negative; stride 0 names the same bytes `count` times;
//  - every byte's offset, and one past it, fits an int64: a box that reaches further is nobody's
//  memory and is dropped;
//  - boxes are sorted by offset; equal boxes at one distance are one box with one more dimension;
//  - size is the number of bytes of the type's data (MPI_Type_size), counting a byte twice if the
//  map names it twice.
// Compact is not unique: two maps of the same bytes, built in different ways, may differ.
#pragma once

#include <cstdint>
#include <vector>

namespace photofinish {

struct Dimension {
  std::int64_t count = 1;
  std::int64_t stride = 0;
  bool operator==(const Dimension&) const = default;
};

struct Strided {
  std::int64_t offset = 0;
  std::int64_t length = 0;
  std::vector<Dimension> dimensions;  // innermost (smallest stride) first
  bool operator==(const Strided&) const = default;
  std::int64_t bytes() const;  // counting a byte as often as the box names it
};

struct ByteRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool operator==(const ByteRange&) const = default;
};

// `count` elements in a row, the first at `displacement` bytes: what indexed types consist of.
struct Block {
  std::int64_t count = 1;
  std::int64_t displacement = 0;
};

struct DataMap {
  std::vector<Strided> footprint;
  std::int64_t size = 0;
  std::int64_t lower_bound = 0;
  std::int64_t extent =
      0;  // distance of consecutive elements: MPI_Type_get_extent, resized types included

  bool operator==(const DataMap&) const = default;
  bool contiguous() const;   // one box without dimensions whose length is the extent
  ByteRange bounds() const;  // the smallest range that holds every byte; empty for an empty map
};

// Building blocks; results are normalized.
DataMap contiguous_map(std::int64_t bytes);
DataMap repeated(const DataMap& map, std::int64_t count);  // count elements, one extent apart
DataMap repeated(const DataMap& map, std::int64_t count, std::int64_t stride_bytes);
DataMap located(const DataMap& map, const std::vector<Block>& blocks);
DataMap shifted(DataMap map, std::int64_t bytes);
DataMap resized(DataMap map, std::int64_t lower_bound, std::int64_t extent);
// The union of maps that lie where they are; lower bound and extent span all of them, as
// MPI_Type_create_struct's do (without alignment padding). A map without bytes and extent spans
// nothing.
DataMap joined(const std::vector<DataMap>& maps);
void normalize(DataMap& map);

// All ranges of `count` elements at offset 0, sorted, neighbors merged. Costs memory for each
// range: for tests and for printing.
std::vector<ByteRange> expand(const DataMap& map, std::int64_t count = 1);

}  // namespace photofinish
