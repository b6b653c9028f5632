// Packs sequences of similar numbers: exponents of values of one magnitude, small counts, numbers
// with few digits. Compresses less than a compressor, at the speed of a copy.
#pragma once

#include <cstddef>
#include <cstdint>

namespace photofinish {

// Each word is stored relative to the previous one: a byte that locates the differing bytes, and
// those bytes.
std::size_t packed_bound(std::size_t size);
// Returns the end of its output.
std::uint8_t* pack(const std::uint8_t* data, std::size_t size, std::uint8_t* out);
// Returns the end of its input, at most `end`; null: the input is not a packing of `size` bytes.
const std::uint8_t* unpack(const std::uint8_t* in, const std::uint8_t* end, std::uint8_t* data,
                           std::size_t size);

}  // namespace photofinish
