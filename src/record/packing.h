// Rows of numbers, kept in fewer bytes where neighbors are alike: exponents of values of one size,
// small counts, numbers with few digits. Not as small as a compressor makes them, at the speed of a
// copy.
#pragma once

#include <cstddef>
#include <cstdint>

namespace photofinish {

// Each word against the one before it: a byte that says where the bytes lie in which they differ,
// and those.
std::size_t packed_bound(std::size_t size);
// Behind what it wrote.
std::uint8_t* pack(const std::uint8_t* data, std::size_t size, std::uint8_t* out);
// Behind what it read, which ends at `end` at the latest; null: that was not packed from `size`
// bytes.
const std::uint8_t* unpack(const std::uint8_t* in, const std::uint8_t* end, std::uint8_t* data,
                           std::size_t size);

}  // namespace photofinish
