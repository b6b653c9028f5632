#include "group/by_time.h"

#include <set>
#include <unordered_map>
#include <utility>

namespace photofinish::group {
namespace {

// The contents of the cells. A cell with an unknown value has none until a read shows it.
class Memory {
 public:
  // False, and nothing changes, if the event finds another value.
  bool happen(const Event& event) {
    if (event.cell == kNoCell) return true;
    const auto found = cells_.find(event.cell);
    const bool finds = event.reads || event.write == Event::Write::Add;
    if (finds && found == cells_.end()) return false;
    if (event.reads && found->second && *found->second != *event.reads) return false;
    // The sum of an unknown value stays unknown: only a read of the sum shows it.
    const std::optional<std::int64_t> before = event.reads ? event.reads
                                               : finds     ? found->second
                                                           : std::nullopt;
    switch (event.write) {
      case Event::Write::None:
        cells_[event.cell] = before;
        break;
      case Event::Write::Set:
        cells_[event.cell] = event.operand;
        break;
      case Event::Write::Add:
        cells_[event.cell] = before ? std::optional(*before + event.operand) : std::nullopt;
        break;
      case Event::Write::Any:
        cells_[event.cell] = std::nullopt;
        break;
    }
    return true;
  }

 private:
  std::unordered_map<Cell, std::optional<std::int64_t>> cells_;
};

}  // namespace

std::optional<std::vector<std::uint32_t>> schedule_by_time(const Problem& problem) {
  const std::size_t count = problem.events.size();
  std::vector<std::uint32_t> waits_for(count);
  std::vector<std::vector<std::uint32_t>> followers(count);
  for (const auto& [first, second] : problem.order) {
    ++waits_for[second];
    followers[first].push_back(second);
  }
  std::set<std::pair<std::uint64_t, std::uint32_t>> ready;  // by time
  for (std::uint32_t i = 0; i < count; ++i)
    if (waits_for[i] == 0) ready.insert({problem.events[i].time, i});
  Memory memory;
  std::vector<std::uint32_t> schedule;
  while (!ready.empty()) {
    auto next = ready.begin();
    while (next != ready.end() && !memory.happen(problem.events[next->second])) ++next;
    if (next == ready.end()) return std::nullopt;
    const std::uint32_t event = next->second;
    ready.erase(next);
    schedule.push_back(event);
    for (const std::uint32_t follower : followers[event])
      if (--waits_for[follower] == 0) ready.insert({problem.events[follower].time, follower});
  }
  if (schedule.size() < count) return std::nullopt;
  return schedule;
}

}  // namespace photofinish::group
