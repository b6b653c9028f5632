#include "runtime/scattered.h"

#include <algorithm>

#include "photofinish/runtime_abi.h"

namespace photofinish {

// calloc: of a large window only the pages that are used take memory.
Scattered::Scattered(std::uint64_t begin, std::uint64_t end, unsigned unit, std::uint64_t bytes)
    : base_(begin >> PHOTOFINISH_MAX_UNIT << PHOTOFINISH_MAX_UNIT), units_((end - base_ + (std::uint64_t{1} << unit) - 1) >> unit), unit_(unit), bytes_(bytes),
      bits_(static_cast<std::uint64_t*>(std::calloc(units_ / 64 + 1, sizeof(std::uint64_t)))) {}

void Scattered::add_range(std::uint64_t begin, std::uint64_t end) {
  std::uint64_t at = (begin - base_) >> unit_;
  const std::uint64_t last = (end - base_) >> unit_;
  while (at < last) {
    const std::uint64_t here = std::min(last - at, 64 - at % 64);
    std::uint64_t& word = bits_[at / 64];
    if (word == 0) words_.push_back(static_cast<std::uint32_t>(at / 64));
    word |= (here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1) << at % 64;
    at += here;
  }
}

void Scattered::sort_words() {
  if (!std::is_sorted(words_.begin(), words_.end())) std::sort(words_.begin(), words_.end());
}

}  // namespace photofinish
