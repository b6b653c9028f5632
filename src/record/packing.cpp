#include "record/packing.h"

#include <bit>
#include <cstring>

namespace photofinish {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
static_assert(std::endian::native == std::endian::little, "the low bytes of a word come first");

}  // namespace

// The last term: pack() always writes a whole word, even if it keeps only a part of it.
std::size_t packed_bound(std::size_t size) { return size + size / kWord + kWord; }

std::uint8_t* pack(const std::uint8_t* data, std::size_t size, std::uint8_t* out) {
  std::uint64_t before = 0;
  const std::uint8_t* const words_end = data + size / kWord * kWord;
  for (; data != words_end; data += kWord) {
    std::uint64_t word;
    std::memcpy(&word, data, kWord);
    const std::uint64_t other = word ^ before;
    before = word;
    const unsigned skipped =
        static_cast<unsigned>(std::countr_zero(other | std::uint64_t{1} << 63)) / 8;
    const unsigned kept =
        other == 0 ? 0 : kWord - skipped - static_cast<unsigned>(std::countl_zero(other)) / 8;
    const std::uint64_t bytes = other >> (8 * skipped);
    *out = static_cast<std::uint8_t>(skipped << 4 | kept);
    std::memcpy(out + 1, &bytes, kWord);
    out += 1 + kept;
  }
  if (size % kWord > 0) std::memcpy(out, data, size % kWord);  // an empty block may be at null
  return out + size % kWord;
}

const std::uint8_t* unpack(const std::uint8_t* in, const std::uint8_t* end, std::uint8_t* data,
                           std::size_t size) {
  std::uint64_t before = 0;
  const std::uint8_t* const words_end = data + size / kWord * kWord;
  for (; data != words_end; data += kWord) {
    if (in == end) return nullptr;
    const unsigned skipped = *in >> 4, kept = *in & 15;
    ++in;
    if (skipped >= kWord || kept > kWord - skipped || kept > static_cast<std::size_t>(end - in))
      return nullptr;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, in, kept);
    in += kept;
    before ^= bytes << (8 * skipped);
    std::memcpy(data, &before, kWord);
  }
  if (static_cast<std::size_t>(end - in) < size % kWord) return nullptr;
  if (size % kWord > 0) std::memcpy(data, in, size % kWord);
  return in + size % kWord;
}

}  // namespace photofinish
