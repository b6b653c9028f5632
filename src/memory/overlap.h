// Whether, and where, two strided footprints share bytes. The blocks are never enumerated, whatever
// their number.
//
// Both footprints lie in one address space: offsets are addresses of one rank. They are in the form
// of normalize(). Counts of 1, dimensions in any order, and empty footprints (which share nothing)
// are allowed; negative strides are not.
//
// Cost: about 100 ns for footprints that share their outer strides, as parts of one array do, and
// for two footprints with one dimension each. Each further unrelated stride multiplies it by the
// number of its repetitions that could matter.
#pragma once

#include <cstdint>
#include <optional>

#include "model/data_map.h"

namespace photofinish {

bool overlap(const Strided& a, const Strided& b);

// A contiguous range of common bytes: of the first block of `a` that overlaps `b`, and the first
// block of `b` that overlaps it. These are the lowest common bytes if neither footprint overlaps
// itself. Costs dozens of overlap() calls per dimension: for reports.
std::optional<ByteRange> common_bytes(const Strided& a, const Strided& b);

// Both footprints consist of elements of `size` bytes, the first at the start of each block. False
// if two elements overlap without coinciding. True if a block's length is no multiple of `size`,
// since the elements are unknown then.
bool aligned_alike(const Strided& a, const Strided& b, std::int64_t size);

}  // namespace photofinish
