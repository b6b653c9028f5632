// The question for a solver: does some order of the events of a prefix explain every value that was
// read?
//
// Each event gets a position. A read takes its value from one of its sources: a write of this value
// at a lower position, with no other write of the cell between the two. The order that holds in
// every schedule is in `order`; sources that it rules out are left out.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "group/execution.h"
#include "group/order.h"

namespace photofinish::group {

struct Problem {
  struct Source {
    std::uint32_t write = 0;            // index in `events`
    std::vector<std::uint32_t> others;  // writes that must not be between it and the read
  };
  // A read, or an event that adds to what it finds.
  struct Read {
    std::uint32_t event = 0;
    std::vector<Source> sources;
  };
  std::vector<EventId> ids;
  std::vector<Event> events;                                   // of the same index
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;  // the first precedes the second
  std::vector<Read> reads;
  bool too_large = false;  // incomplete: more than kMaxConstraints
};
inline constexpr std::size_t kMaxConstraints = 1'000'000;

// The prefix must contain all events of its ranks that precede one of it (close()).
Problem make_problem(const Execution& execution, const Order& order, const Prefix& prefix);

struct Answer {
  enum class State : std::uint8_t { Explained, Unexplained, GaveUp };
  State state{};
  std::vector<std::uint32_t> schedule = {};  // Explained: indices of events, in order
  std::vector<std::uint32_t> reads = {};     // Unexplained: indices of reads that contradict
  std::string reason = {};                   // GaveUp
};
using Solver = std::function<Answer(const Problem&, double seconds)>;

// Whether an event may have written the value that another one found.
bool fits(const Event& write, const Event& read);

}  // namespace photofinish::group
