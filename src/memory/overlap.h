// Whether two boxes share bytes, and which: never by listing their blocks, however many there are.
//
// Both boxes lie in one address space: an offset is an address of one rank. Boxes are as
// normalize() leaves them; counts of 1, dimensions in any order, and empty boxes (which share
// nothing) are fine as well, negative strides are not.
//
// Cost: some hundred nanoseconds for boxes that share their outer strides, as parts of one array
// do, and for any two boxes with one dimension each. Each further stride that fits no other
// multiplies it by as many of its repetitions as could matter.
#pragma once

#include <cstdint>
#include <optional>

#include "model/data_map.h"

namespace photofinish {

bool overlap(const Strided& a, const Strided& b);

// Bytes without a gap that both touch: where the first block of `a` that meets `b` meets it first.
// These are the lowest common bytes if no box overlaps itself. Costs some dozens of overlap() for
// each dimension: for those who print it.
std::optional<ByteRange> common_bytes(const Strided& a, const Strided& b);

// Both boxes consist of elements of `size` bytes, the first at the beginning of each block. True
// unless two elements overlap without being the same bytes; true, too, if a block's length is no
// multiple of `size`, since then nobody can know.
bool aligned_alike(const Strided& a, const Strided& b, std::int64_t size);

}  // namespace photofinish
