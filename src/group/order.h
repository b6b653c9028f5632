// Happens-before of an execution: program order and synchronization, also through ranks that are
// external to a group.
//
// A rank's knowledge changes only where it acquires, so that one vector clock is stored for each
// acquire. Limit: a circular synchronization, which no run can have, is broken at some acquire.
#pragma once

#include <vector>

#include "group/execution.h"

namespace photofinish::group {

class Order {
 public:
  explicit Order(const Execution& execution);

  // How many events of `rank` are over when this one takes effect, not counting pending ones.
  std::uint32_t known(EventId event, std::uint32_t rank) const;
  bool precedes(EventId a, EventId b) const;
  bool is_acquire(EventId event) const;

 private:
  struct Clock {
    std::uint32_t index = 0;  // of the acquire
    std::vector<std::uint32_t> known;
  };
  const Execution& execution_;
  std::vector<std::vector<Clock>> clocks_;  // by rank, by index
};

}  // namespace photofinish::group
