// Controls the sampling rate so that the tool's time stays below a share of the run time.
//
// Rule: at a slowdown of b, the tool uses 1 - 1/b of the run time. Both times count from the start,
// so overspending is compensated later, and savings may be spent. Above 90 % of the share the rate
// is halved, below 70 % it is doubled. From 100 % on nothing is checked until usage is below 70 %.
#pragma once

#include <algorithm>
#include <cstdint>

namespace photofinish {

class Budget {
 public:
  static constexpr std::uint32_t kMost = 1 << 14;
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};

  // Slowdown: 1.1 is 10 % more time. 0: no limit.
  explicit Budget(double slowdown = 0) : share_(slowdown > 0 ? 1 - 1 / slowdown : 0) {}

  // Total times so far, in any unit.
  void update(double own, double run) {
    if (share_ == 0) return;
    const double used = own / std::max(share_ * run, 1.0);
    if (used > 0.9)
      interval_ = std::min(2 * interval_, kMost);
    else if (used < 0.7)
      interval_ = std::max<std::uint32_t>(interval_ / 2, 1);
    exhausted_ = used > (exhausted_ ? 0.7 : 1.0);
  }

  // Check one of this many accesses of a site; kNothing: none.
  std::uint32_t interval() const { return exhausted_ ? kNothing : interval_; }

 private:
  double share_;
  std::uint32_t interval_ = 1;
  bool exhausted_ = false;
};

}  // namespace photofinish
