// Four CRC-32C checksums, each of every fourth word. Processors have an instruction for it, with
// one word per cycle. Without the instruction: multiplications.
#include "runtime/digest.h"

#include <cstring>

#if defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#define PF_TARGET [[gnu::target("+crc")]]
#elif defined(__x86_64__)
#include <nmmintrin.h>
#define PF_TARGET [[gnu::target("sse4.2")]]
#endif

namespace photofinish {
namespace {

using Words = std::array<std::uint64_t, 4>;

#if defined(__aarch64__)
bool has_instruction() { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }
PF_TARGET inline std::uint64_t check(std::uint64_t sum, std::uint64_t word) {
  return __crc32cd(static_cast<std::uint32_t>(sum), word);
}
#elif defined(__x86_64__)
bool has_instruction() { return __builtin_cpu_supports("sse4.2") != 0; }
PF_TARGET inline std::uint64_t check(std::uint64_t sum, std::uint64_t word) {
  return _mm_crc32_u64(sum, word);
}
#else
#define PF_TARGET
bool has_instruction() { return false; }
std::uint64_t check(std::uint64_t sum, std::uint64_t) { return sum; }
#endif

PF_TARGET void add_checks(Words& sums, const std::uint8_t* bytes, std::size_t blocks) {
  auto [a, b, c, d] = sums;
  for (Words words; blocks > 0; --blocks, bytes += sizeof words) {
    std::memcpy(&words, bytes, sizeof words);
    a = check(a, words[0]), b = check(b, words[1]), c = check(c, words[2]), d = check(d, words[3]);
  }
  sums = {a, b, c, d};
}

void add_products(Words& sums, const std::uint8_t* bytes, std::size_t blocks) {
  for (Words words; blocks > 0; --blocks, bytes += sizeof words) {
    std::memcpy(&words, bytes, sizeof words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      sums[i] = (sums[i] ^ words[i]) * 0x9e3779b97f4a7c15u;
      sums[i] ^= sums[i] >> 32;
    }
  }
}

}  // namespace

Digest digest_of(const void* bytes, std::size_t count) {
  static const auto add = has_instruction() ? add_checks : add_products;
  const auto* begin = static_cast<const std::uint8_t*>(bytes);
  Words sums{1, 2, 3, 4};
  const std::size_t blocks = count / sizeof sums;
  add(sums, begin, blocks);
  std::uint8_t rest[sizeof sums] = {};
  std::memcpy(rest, begin + blocks * sizeof sums, count % sizeof sums);
  add(sums, rest, 1);
  return {sums[0] << 32 ^ sums[1], sums[2] << 32 ^ sums[3]};
}

}  // namespace photofinish
