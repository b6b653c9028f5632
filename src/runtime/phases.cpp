#include "runtime/phases.h"

#include <algorithm>

namespace photofinish {

bool Phases::begin(std::uint64_t site, std::uint64_t now, double own_ns, bool without) {
  Kind& kind = kinds_[site % kKinds];
  if (kind.site != site && kind.turns > 0) {
    current_ = nullptr;  // the slot belongs to another site
    return false;
  }
  kind.site = site;
  current_ = &kind;
  begun_ = now;
  own_ns_ = own_ns;
  spoiled_ = false;
  timed_ = kind.ticks * ns_per_tick_ >= kLongNs;
  without_ = without;
  if (!timed_) return false;
  if (!without) {
    // xorshift, so that no period of the program is in step with it
    random_ ^= random_ << 13;
    random_ ^= random_ >> 17;
    random_ ^= random_ << 5;
    without_ = kind.turns < kOften ? kind.turns % 2 == 1 : random_ % kSeldom == 0;
    ++kind.turns;
  }
  begun_ns_ = processor_ns_();
  return without_ && !without;
}

void Phases::end(std::uint64_t now, double own_ns) {
  if (current_ == nullptr) return;
  Kind& kind = *current_;
  current_ = nullptr;
  kind.ticks = static_cast<double>(now - begun_);
  if (!timed_ || spoiled_) return;
  Times& times = without_ ? kind.without : kind.with;
  times.sum += static_cast<double>(processor_ns_() - begun_ns_) - (own_ns - own_ns_);
  ++times.count;
  sum_up();
}

// Differences of single kinds may be chance, in either direction.
void Phases::sum_up() {
  double tests = 0, compared = 0;
  for (const Kind& kind : kinds_) {
    if (!kind.is_compared()) continue;
    tests += kind.with.sum - static_cast<double>(kind.with.count) * kind.without.mean();
    compared += kind.with.sum + kind.without.sum;
  }
  tests_ns_ = std::max(tests, 0.0);
  compared_ns_ = compared;
}

}  // namespace photofinish
