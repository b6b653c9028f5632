#include "brute_force.h"

#include <map>
#include <optional>
#include <set>

namespace photofinish::group {
namespace {

// An unknown value plus a number, or a number.
struct Content {
  std::uint32_t unknown = kNone;
  std::int64_t number = 0;
  auto operator<=>(const Content&) const = default;
};

// Cells that were written, and what is known of unknown values.
struct Memory {
  std::map<Cell, Content> cells;
  std::map<std::uint32_t, std::int64_t> values;
  std::uint32_t unknowns = 0;
  auto operator<=>(const Memory&) const = default;

  // False if the event cannot happen now.
  bool happen(const Event& event) {
    if (event.cell == kNoCell) return true;
    const auto found = cells.find(event.cell);
    if (event.reads) {
      if (found == cells.end()) return false;
      const Content content = found->second;
      if (content.unknown == kNone && content.number != *event.reads) return false;
      if (content.unknown != kNone &&
          values.try_emplace(content.unknown, *event.reads - content.number).first->second !=
              *event.reads - content.number)
        return false;
    }
    switch (event.write) {
      case Event::Write::None:
        break;
      case Event::Write::Set:
        cells[event.cell] = {kNone, event.operand};
        break;
      case Event::Write::Add:
        if (found == cells.end()) return false;
        found->second.number += event.operand;
        break;
      case Event::Write::Any:
        cells[event.cell] = {unknowns++, 0};
        break;
    }
    return true;
  }
};

class Interleavings {
 public:
  Interleavings(const Execution& execution, const Prefix& prefix)
      : execution_(execution), prefix_(prefix) {}

  bool search(std::set<EventId> done, const Memory& memory) {
    synchronize_external(done);
    bool all = true;
    if (!seen_.insert({done, memory}).second) return false;
    for (std::uint32_t rank = 0; rank < prefix_.size(); ++rank) {
      if (prefix_[rank] == kExternal) continue;
      for (std::uint32_t index = 0; index < prefix_[rank]; ++index) {
        const EventId id{rank, index};
        if (done.contains(id)) continue;
        all = false;
        if (!may_happen(id, done)) continue;
        Memory next = memory;
        if (!next.happen(execution_.ranks[rank][index])) continue;
        std::set<EventId> then = done;
        then.insert(id);
        if (search(std::move(then), next)) return true;
      }
    }
    return all;
  }

  // By the definitions of execution.h.
  bool may_happen(EventId id, const std::set<EventId>& done) const {
    const std::vector<Event>& events = execution_.ranks[id.rank];
    const bool external = prefix_[id.rank] == kExternal;
    for (std::uint32_t index = 0; index < events.size(); ++index) {
      const EventId other{id.rank, index};
      if (index == id.index || done.contains(other)) continue;
      const Event& event = events[index];
      if (external && event.cell != kNoCell) continue;
      if (event.pending ? event.until <= id.index || events[id.index].after == index
                        : index < id.index)
        return false;
    }
    for (std::uint32_t rank = 0; rank < prefix_.size(); ++rank)
      for (std::uint32_t index = 0; prefix_[rank] != kExternal && index < prefix_[rank]; ++index)
        if (const Event& event = execution_.ranks[rank][index];
            event.initial && event.cell == events[id.index].cell && !events[id.index].initial &&
            !done.contains({rank, index}))
          return false;
    for (const Sync& sync : execution_.syncs)
      for (const EventId& acquire : sync.acquires)
        if (acquire == id)
          for (const EventId& release : sync.releases)
            if (!done.contains(release)) return false;
    return true;
  }

 private:
  // As early as possible: it only allows more.
  void synchronize_external(std::set<EventId>& done) const {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t rank = 0; rank < prefix_.size(); ++rank)
        for (std::uint32_t index = 0;
             prefix_[rank] == kExternal && index < execution_.ranks[rank].size(); ++index)
          if (const EventId id{rank, index}; execution_.ranks[rank][index].cell == kNoCell &&
                                             !done.contains(id) && may_happen(id, done))
            done.insert(id), moved = true;
    }
  }

  const Execution& execution_;
  const Prefix& prefix_;
  std::set<std::pair<std::set<EventId>, Memory>> seen_;
};

}  // namespace

bool explains(const Execution& execution, const Prefix& prefix) {
  for (const Sync& sync : execution.syncs)
    for (const EventId& acquire : sync.acquires)
      if (sync.data && contains(prefix, acquire))
        for (const EventId& release : sync.releases)
          if (!contains(prefix, release)) return false;
  return Interleavings(execution, prefix).search({}, {});
}

bool holds(const Execution& execution, const Prefix& prefix, const std::vector<EventId>& schedule) {
  std::set<Cell> read;
  for (std::uint32_t rank = 0; rank < prefix.size(); ++rank)
    for (std::uint32_t index = 0; prefix[rank] != kExternal && index < prefix[rank]; ++index)
      if (const Event& event = execution.ranks[rank][index];
          event.reads || event.write == Event::Write::Add)
        read.insert(event.cell);
  const std::set<EventId> scheduled(schedule.begin(), schedule.end());
  for (std::uint32_t rank = 0; rank < prefix.size(); ++rank)
    for (std::uint32_t index = 0; prefix[rank] != kExternal && index < prefix[rank]; ++index)
      if (const Cell cell = execution.ranks[rank][index].cell;
          cell != kNoCell && read.contains(cell) && !scheduled.contains({rank, index}))
        return false;
  Memory memory;
  for (const EventId& id : schedule)
    if (!memory.happen(execution.ranks[id.rank][id.index])) return false;
  return true;
}

}  // namespace photofinish::group
