// How much may be looked at so that the tool's own time stays below a share of the run time.
//
// Rule: a program that is slowed down by no more than b has spent 1 - 1/b of its run with the tool.
// Both are counted from the start: what was too much is made up for later, and what was saved may
// be spent. Above nine tenths of the share half as much is looked at, below seven tenths twice as
// much; from the share on nothing is, until the run has caught up and it is below seven tenths.
#pragma once

#include <algorithm>
#include <cstdint>

namespace photofinish {

class Budget {
 public:
  static constexpr std::uint32_t kMost = 1 << 14;
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};

  // Slowdown: 1.1 is a tenth more time. 0: as much as it takes.
  explicit Budget(double slowdown = 0) : share_(slowdown > 0 ? 1 - 1 / slowdown : 0) {}

  // So far, in any unit.
  void update(double own, double run) {
    if (share_ == 0) return;
    const double used = own / std::max(share_ * run, 1.0);
    if (used > 0.9)
      interval_ = std::min(2 * interval_, kMost);
    else if (used < 0.7)
      interval_ = std::max<std::uint32_t>(interval_ / 2, 1);
    exhausted_ = used > (exhausted_ ? 0.7 : 1.0);
  }

  // Of the accesses at one place one in so many may be looked at; kNothing: none.
  std::uint32_t interval() const { return exhausted_ ? kNothing : interval_; }

 private:
  double share_;
  std::uint32_t interval_ = 1;
  bool exhausted_ = false;
};

}  // namespace photofinish
