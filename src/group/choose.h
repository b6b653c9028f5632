// Finds a group of ranks that explains a failure: some order of the group's own events explains
// every value that the group read (docs/group.md).
//
// It starts with the rank that failed. While a value is unexplained, the rank that wrote it is
// added, with its events up to that write: what a rank did later cannot matter. So the group is a
// prefix of the execution, and each step makes it larger.
//
// Limit: each step adds the write that was the last one in the run's time. The group need not be
// the smallest one.
#pragma once

#include <string>
#include <vector>

#include "group/problem.h"

namespace photofinish::group {

// Why a rank is in the group, or more of its events are.
struct Reason {
  EventId read, write;   // of a message: the receive and the send
  bool is_data = false;  // sent, not written to memory
  bool is_new = false;   // the rank was external before
};

struct Choice {
  enum class State : std::uint8_t { Found, NoSchedule, GaveUp };
  State state{};
  Prefix prefix = {};
  std::vector<Reason> reasons = {};    // in the order of the search
  std::vector<EventId> schedule = {};  // Found
  std::vector<EventId> reads = {};     // NoSchedule: these contradict each other
  std::size_t rounds = 0;              // prefixes that were examined
  std::string reason = {};             // GaveUp
};

Choice choose_group(const Execution& execution, std::uint32_t failed, const Solver& solver,
                    double seconds);

// Adds the events that precede one of the prefix, of ranks in the group.
void close(const Order& order, Prefix& prefix);

}  // namespace photofinish::group
