#include "runtime/scattered.h"

#include <algorithm>

namespace photofinish {

Scattered::Scattered(std::uint64_t begin, std::uint64_t end, unsigned unit, std::uint64_t bytes)
    : base_(begin >> PHOTOFINISH_MAX_UNIT << PHOTOFINISH_MAX_UNIT),
      units_((end - base_ + (std::uint64_t{1} << unit) - 1) >> unit),
      unit_(unit),
      bytes_(bytes) {
  const std::uint64_t groups = units_ / PHOTOFINISH_GROUP + 1,
                      group_words = groups / sizeof(std::uint64_t) + 1;
  // Mapped: pages that are not used take no memory.
  const std::size_t all = (group_words + groups * kGroupWords) * sizeof(std::uint64_t);
  void* const mapped = mmap(nullptr, all, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return;
  memory_ = {static_cast<std::uint64_t*>(mapped), Unmap{all}};
  bits_ = memory_.get() + group_words;
}

void Scattered::add_range(std::uint64_t begin, std::uint64_t end) {
  std::uint64_t at = (begin - base_) >> unit_;
  const std::uint64_t last = (end - base_) >> unit_;
  while (at < last) {
    const std::uint64_t here = std::min(last - at, 64 - at % 64);
    set(at / 64, (here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1) << at % 64);
    at += here;
  }
}

void Scattered::sort_groups() { std::sort(groups_.begin(), groups_.end()); }

}  // namespace photofinish
