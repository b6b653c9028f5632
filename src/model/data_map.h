// The bytes of a datatype, relative to the address it is used with.
//
// A map is a set of strided blocks. A block is `length` bytes at `offset`, repeated in each
// dimension `count` times at a distance of `stride` bytes. A vector of vectors is one block with
// two dimensions, whatever its number of elements. Only an irregular indexed type needs memory for
// each of its blocks. The order of bytes in a message is not stored, since races do not depend on
// it.
//
// Invariants (normalize() establishes them):
// - length > 0; every dimension has count > 1; no dimension continues its inner ones without a gap
//   (it is folded into length);
// - strides ascend and are not negative; stride 0 names the same bytes `count` times;
// - every byte's offset, and one past it, fits an int64: a block that reaches further lies in no
//   memory and is dropped;
// - blocks are sorted by offset; equal blocks at one distance are one block with one more
//   dimension;
// - size is the number of bytes of the type's data (MPI_Type_size), counting a byte twice if the
//   map names it twice.
//
// The form is not unique: two maps of the same bytes, built in different ways, may differ.
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
  std::int64_t bytes() const;  // counts a byte as often as the block names it
};

struct ByteRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool operator==(const ByteRange&) const = default;
};

// `count` consecutive elements, the first at `displacement` bytes. Indexed types consist of these.
struct Block {
  std::int64_t count = 1;
  std::int64_t displacement = 0;
};

struct DataMap {
  std::vector<Strided> footprint;
  std::int64_t size = 0;
  std::int64_t lower_bound = 0;
  // Distance of consecutive elements: MPI_Type_get_extent, including resized types.
  std::int64_t extent = 0;

  bool operator==(const DataMap&) const = default;
  bool contiguous() const;   // one block without dimensions whose length is the extent
  ByteRange bounds() const;  // the smallest range that holds every byte; empty for an empty map
};

// Constructors. The results are normalized.
DataMap contiguous_map(std::int64_t bytes);
DataMap repeated(const DataMap& map, std::int64_t count);  // count elements, one extent apart
DataMap repeated(const DataMap& map, std::int64_t count, std::int64_t stride_bytes);
DataMap located(const DataMap& map, const std::vector<Block>& blocks);
DataMap shifted(DataMap map, std::int64_t bytes);
DataMap resized(DataMap map, std::int64_t lower_bound, std::int64_t extent);
// The union of maps at their offsets. Lower bound and extent span all of them, as for
// MPI_Type_create_struct, but without alignment padding. A map without bytes and extent spans
// nothing.
DataMap joined(const std::vector<DataMap>& maps);
void normalize(DataMap& map);

// All ranges of `count` elements at offset 0, sorted, neighbors merged. Needs memory for each
// range: for tests and printing.
std::vector<ByteRange> expand(const DataMap& map, std::int64_t count = 1);

}  // namespace photofinish
