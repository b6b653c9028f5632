#include "group/choose.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "group/by_time.h"

namespace photofinish::group {
namespace {

using Steady = std::chrono::steady_clock;

// A rank of the group has its initial events.
std::uint32_t initial_events(const std::vector<Event>& events) {
  std::uint32_t count = 0;
  while (count < events.size() && events[count].initial) ++count;
  return count;
}

class Search {
 public:
  Search(const Execution& execution, const Solver& solver, double seconds)
      : execution_(execution),
        order_(execution),
        solver_(solver),
        end_(Steady::now() +
             std::chrono::duration_cast<Steady::duration>(std::chrono::duration<double>(seconds))) {
    for (std::uint32_t rank = 0; rank < execution.ranks.size(); ++rank)
      for (std::uint32_t index = 0; index < execution.ranks[rank].size(); ++index)
        if (const Event& event = execution.ranks[rank][index]; event.writes())
          writes_[event.cell].push_back({rank, index});
  }

  Choice run(std::uint32_t failed) {
    choice_.prefix.assign(execution_.ranks.size(), kExternal);
    choice_.prefix[failed] = static_cast<std::uint32_t>(execution_.ranks[failed].size());
    for (;;) {
      close(order_, choice_.prefix);
      if (left() <= 0) return give_up("the time limit is over");
      if (const auto reason = external_message()) {
        add(*reason);
        continue;
      }
      const Problem problem = make_problem(execution_, order_, choice_.prefix);
      if (add_sources(problem)) continue;
      ++choice_.rounds;
      Answer answer;
      if (auto schedule = schedule_by_time(problem))
        answer = {.state = Answer::State::Explained, .schedule = std::move(*schedule)};
      else if (problem.too_large)
        return give_up("there are too many accesses to the same bytes");
      else
        answer = solver_(problem, left());
      if (answer.state == Answer::State::GaveUp) return give_up(answer.reason);
      if (answer.state == Answer::State::Explained) {
        choice_.state = Choice::State::Found;
        for (const std::uint32_t event : answer.schedule)
          choice_.schedule.push_back(problem.ids[event]);
        return choice_;
      }
      std::vector<EventId> reads;
      for (const std::uint32_t read : answer.reads)
        reads.push_back(problem.ids[problem.reads[read].event]);
      const auto reason = best_of(reads);
      if (!reason) {
        // Further events only add constraints: these reads have no further source.
        choice_.state = Choice::State::NoSchedule;
        choice_.reads = reads;
        return choice_;
      }
      add(*reason);
    }
  }

 private:
  double left() const { return std::chrono::duration<double>(end_ - Steady::now()).count(); }
  const Event& at(EventId id) const { return execution_.ranks[id.rank][id.index]; }

  Choice give_up(const std::string& reason) {
    choice_.state = Choice::State::GaveUp;
    choice_.reason = reason;
    return choice_;
  }

  void add(Reason reason) {
    std::uint32_t& events = choice_.prefix[reason.write.rank];
    reason.is_new = events == kExternal;
    if (reason.is_new) events = initial_events(execution_.ranks[reason.write.rank]);
    events = std::max(events, reason.write.index + 1);
    choice_.reasons.push_back(reason);
  }

  // A message that the group received from an external rank. (The prefix is closed: sends of the
  // group are in it.)
  std::optional<Reason> external_message() const {
    for (const Sync& sync : execution_.syncs) {
      if (!sync.data) continue;
      for (const EventId& acquire : sync.acquires) {
        if (!contains(choice_.prefix, acquire)) continue;
        for (const EventId& release : sync.releases)
          if (!contains(choice_.prefix, release)) return Reason{acquire, release, true};
      }
    }
    return std::nullopt;
  }

  // For each read that no write of the group can explain: adds one that can. False if there is
  // none.
  bool add_sources(const Problem& problem) {
    const Prefix before = choice_.prefix;
    for (const Problem::Read& read : problem.reads) {
      if (!read.sources.empty()) continue;
      const EventId id = problem.ids[read.event];
      const auto writes = writes_.find(at(id).cell);
      if (writes == writes_.end()) continue;
      // Perhaps one came with what was added for another read.
      if (std::any_of(writes->second.begin(), writes->second.end(), [&](EventId write) {
            return !contains(before, write) && contains(choice_.prefix, write) &&
                   may_explain(write, id);
          }))
        continue;
      if (const auto reason = best_of({id})) add(*reason);
    }
    return choice_.prefix != before;
  }

  bool may_explain(EventId write, EventId read) const {
    return write != read && fits(at(write), at(read)) && !order_.precedes(read, write);
  }

  // The write outside of the prefix that is the last one before its read, in the time of the run.
  std::optional<Reason> best_of(const std::vector<EventId>& reads) const {
    std::optional<Reason> best;
    for (const EventId& read : reads) {
      const auto writes = writes_.find(at(read).cell);
      if (writes == writes_.end()) continue;
      for (const EventId& write : writes->second) {
        if (contains(choice_.prefix, write) || !may_explain(write, read)) continue;
        if (!best || rank_of(read, write) < rank_of(best->read, best->write))
          best = Reason{read, write};
      }
      if (best) return best;
    }
    return best;
  }

  // Lower is better: before the read, a known value, close to it.
  std::tuple<bool, bool, std::uint64_t, EventId> rank_of(EventId read, EventId write) const {
    const std::uint64_t found = at(read).time, written = at(write).time;
    return {written > found, at(write).write == Event::Write::Any,
            written > found ? written - found : found - written, write};
  }

  const Execution& execution_;
  const Order order_;
  const Solver& solver_;
  const Steady::time_point end_;
  std::unordered_map<Cell, std::vector<EventId>> writes_;
  Choice choice_;
};

}  // namespace

void close(const Order& order, Prefix& prefix) {
  for (bool grew = true; grew;) {
    grew = false;
    for (std::uint32_t rank = 0; rank < prefix.size(); ++rank) {
      if (prefix[rank] == kExternal || prefix[rank] == 0) continue;
      for (std::uint32_t other = 0; other < prefix.size(); ++other) {
        if (other == rank || prefix[other] == kExternal) continue;
        const std::uint32_t known = order.known({rank, prefix[rank] - 1}, other);
        if (known > prefix[other]) prefix[other] = known, grew = true;
      }
    }
  }
}

Choice choose_group(const Execution& execution, std::uint32_t failed, const Solver& solver,
                    double seconds) {
  return Search(execution, solver, seconds).run(failed);
}

}  // namespace photofinish::group
