#include "order/resolve.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "order/keys.h"

namespace photofinish {
namespace {

// By task of the phase; 0: nothing, otherwise 1 + the timestamp.
using Clock = std::vector<Timestamp>;

void join(Clock& clock, const Clock& other) {
  for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

// All releases of one key, by position.
struct Released {
  struct One {
    std::uint64_t position;
    std::size_t task;
    std::size_t edge;  // index in the task's edges
    bool done = false;
    Clock clock;
  };
  std::vector<One> all;
  std::size_t first_pending = 0;  // all releases before it are done
  // The join of all releases up to a position. It is computed once for acquires in ascending order.
  Clock sum;
  std::size_t summed = 0;
};

class Resolution {
 public:
  Resolution(std::vector<PhaseEdges> ranks, const std::vector<Query>& queries) : queries_(queries) {
    std::sort(ranks.begin(), ranks.end(),
              [](const auto& a, const auto& b) { return a.rank < b.rank; });
    for (PhaseEdges& phase : ranks)
      for (Edge& edge : phase.edges)
        task(phase.rank, task_of(edge.timestamp)).edges.push_back(std::move(edge));
    // A task without edges is known through what other tasks of its rank know of it.
    for (const Query& query : queries) task(query.about, query.task);
    for (const auto& [who, at] : index_)
      if (who.second != 0) has_tasks_.insert(who.first);
    for (const Query& query : queries)
      if (task_of(query.timestamp) != 0) has_tasks_.insert(query.rank);
  }

  std::vector<Timestamp> run() {
    prepare();
    while (advance_all(false) || advance_all(true)) {
    }
    answer_late();
    return std::move(answers_);
  }

 private:
  struct Task {
    WorldRank rank;
    std::vector<Edge> edges;
    std::size_t next = 0;  // next edge
    std::size_t next_query = 0;
    std::vector<std::size_t> queries;   // by timestamp
    std::vector<std::size_t> position;  // index of each of its releases among those of the key
    Clock clock;
    // For ranks with several tasks: the clock acquired from other ranks, from each timestamp on.
    std::vector<std::pair<Timestamp, Clock>> history;
  };

  Task& task(WorldRank rank, std::uint32_t number) {
    const auto [found, fresh] = index_.try_emplace({rank, number}, tasks_.size());
    if (fresh) tasks_.push_back({.rank = rank});
    return tasks_[found->second];
  }
  std::size_t find(WorldRank rank, std::uint32_t number) const {
    const auto found = index_.find({rank, number});
    return found != index_.end() ? found->second : tasks_.size();
  }

  void prepare() {
    for (Task& task : tasks_) {
      task.clock.assign(tasks_.size(), 0);
      std::stable_sort(task.edges.begin(), task.edges.end(),
                       [](const Edge& a, const Edge& b) { return a.timestamp < b.timestamp; });
    }
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const std::vector<Edge>& edges = tasks_[i].edges;
      tasks_[i].position.resize(edges.size());
      for (std::size_t s = 0; s < edges.size(); ++s)
        if (!edges[s].acquires)
          released_[edges[s].key].all.push_back({edges[s].position, i, s, false, {}});
    }
    for (auto& [key, released] : released_) {
      std::stable_sort(released.all.begin(), released.all.end(),
                       [](const auto& a, const auto& b) { return a.position < b.position; });
      for (std::size_t at = 0; at < released.all.size(); ++at)
        tasks_[released.all[at].task].position[released.all[at].edge] = at;
    }
    answers_.assign(queries_.size(), kNever);
    for (std::size_t q = 0; q < queries_.size(); ++q) {
      const std::size_t asker = find(queries_[q].rank, task_of(queries_[q].timestamp));
      if (asker != tasks_.size() && !has_tasks_.contains(queries_[q].rank))
        tasks_[asker].queries.push_back(q);
    }
    for (Task& task : tasks_)
      std::sort(task.queries.begin(), task.queries.end(), [&](std::size_t a, std::size_t b) {
        return queries_[a].timestamp < queries_[b].timestamp;
      });
  }

  // Advances each task as far as possible. `forced`: one task continues without its acquire,
  // preferably one that waits for a guessed edge. False if all tasks are done.
  bool advance_all(bool forced) {
    bool moved = false;
    if (forced) {
      std::size_t chosen = tasks_.size();
      for (std::size_t i = 0; i < tasks_.size(); ++i) {
        if (is_done(tasks_[i])) continue;
        const bool guess = is_guess(tasks_[i].edges[tasks_[i].next]);
        if (chosen == tasks_.size() || guess) chosen = i;
        if (guess) break;
      }
      if (chosen == tasks_.size()) return false;
      step(chosen);
      return true;
    }
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      while (!is_done(tasks_[i]) && ready(i, tasks_[i].edges[tasks_[i].next])) {
        step(i);
        moved = true;
      }
      if (is_done(tasks_[i])) answer(i, kNever);
    }
    return moved;
  }
  static bool is_done(const Task& task) { return task.next == task.edges.size(); }

  // For ranks with several tasks: adds what the task knows of the other tasks of its rank, and what
  // these had acquired by then.
  void join_rank(Clock& clock, WorldRank rank, std::uint32_t self, const Knowledge& known) const {
    if (known == nullptr) return;
    for (std::uint32_t other = 0; other < known->size(); ++other) {
      const Timestamp until = (*known)[other];
      const std::size_t at = until == 0 || other == self ? tasks_.size() : find(rank, other);
      if (at == tasks_.size()) continue;
      join_history(clock, tasks_[at], until);
      clock[at] = std::max(clock[at], until);
    }
  }
  static void join_history(Clock& clock, const Task& task, Timestamp until) {
    const auto later = std::partition_point(task.history.begin(), task.history.end(),
                                            [&](const auto& entry) { return entry.first < until; });
    if (later != task.history.begin()) join(clock, std::prev(later)->second);
  }
  // Whether the tasks that the release depends on have advanced far enough.
  bool has_come(const Edge& edge, std::size_t self) const {
    if (edge.known == nullptr) return true;
    for (std::uint32_t other = 0; other < edge.known->size(); ++other) {
      const std::size_t at = find(tasks_[self].rank, other);
      if (at == tasks_.size() || at == self || is_done(tasks_[at])) continue;
      if (tasks_[at].edges[tasks_[at].next].timestamp < (*edge.known)[other]) return false;
    }
    return true;
  }

  // If the rendezvous of a synchronous send has no release, the receive may be one with an unknown
  // match. Superfluous order hides a race, missing order invents one.
  std::unordered_map<std::uint64_t, Released>::iterator find_released(std::uint64_t key) {
    const auto found = released_.find(key);
    return found == released_.end() && is_rendezvous(key) ? released_.find(unsettled_key()) : found;
  }

  bool is_guess(const Edge& edge) const {
    return edge.guessed || (edge.acquires && is_rendezvous(edge.key) &&
                            released_.find(edge.key) == released_.end());
  }

  bool ready(std::size_t i, const Edge& edge) {
    if (!edge.acquires) return has_come(edge, i);
    const auto found = find_released(edge.key);
    if (found == released_.end()) return true;
    const Released& released = found->second;
    return released.first_pending == released.all.size() ||
           released.all[released.first_pending].position >= edge.position;
  }

  void step(std::size_t i) {
    Task& task = tasks_[i];
    const Edge& edge = task.edges[task.next++];
    answer(i, edge.timestamp);
    task.clock[i] = edge.timestamp + 1;
    if (!edge.acquires) return release(task, edge);
    acquire(task, edge);
    if (has_tasks_.contains(task.rank)) task.history.emplace_back(edge.timestamp, task.clock);
  }

  void release(const Task& task, const Edge& edge) {
    Released& released = released_.find(edge.key)->second;
    Released::One& one = released.all[task.position[task.next - 1]];
    one.done = true;
    one.clock = task.clock;
    join_rank(one.clock, task.rank, task_of(edge.timestamp), edge.known);
    while (released.first_pending < released.all.size() &&
           released.all[released.first_pending].done)
      ++released.first_pending;
  }

  void acquire(Task& task, const Edge& edge) {
    const auto found = find_released(edge.key);
    if (found == released_.end()) return;
    Released& released = found->second;
    // A lower position than before: rare.
    if (released.summed > 0 && released.all[released.summed - 1].position >= edge.position) {
      released.summed = 0;
      released.sum.clear();
    }
    if (released.sum.empty()) released.sum.assign(tasks_.size(), 0);
    std::size_t at = released.summed;
    bool whole = true;
    for (; at < released.all.size() && released.all[at].position < edge.position; ++at) {
      if (!released.all[at].done) {  // a forced acquire skips it
        whole = false;
        continue;
      }
      if (whole) {
        join(released.sum, released.all[at].clock);
        released.summed = at + 1;
      } else {
        join(task.clock, released.all[at].clock);
      }
    }
    join(task.clock, released.sum);
  }

  // What is acquired at a timestamp is known at that timestamp.
  void answer(std::size_t i, Timestamp until) {
    Task& task = tasks_[i];
    for (; task.next_query < task.queries.size(); ++task.next_query) {
      const std::size_t number = task.queries[task.next_query];
      const Query& query = queries_[number];
      if (query.timestamp >= until) break;
      set_answer(number, task.clock);
    }
  }
  // Queries of ranks with several tasks: answered when the acquires of all tasks are known.
  void answer_late() {
    for (std::size_t q = 0; q < queries_.size(); ++q) {
      const Query& query = queries_[q];
      if (!has_tasks_.contains(query.rank)) continue;
      Clock clock(tasks_.size(), 0);
      if (const std::size_t at = find(query.rank, task_of(query.timestamp)); at < tasks_.size())
        join_history(clock, tasks_[at], query.timestamp + 1);
      join_rank(clock, query.rank, task_of(query.timestamp), query.known);
      set_answer(q, clock);
    }
  }
  void set_answer(std::size_t number, const Clock& clock) {
    const std::size_t about = find(queries_[number].about, queries_[number].task);
    if (about < tasks_.size() && clock[about] != 0) answers_[number] = clock[about] - 1;
  }

  const std::vector<Query>& queries_;
  std::vector<Task> tasks_;
  std::map<std::pair<WorldRank, std::uint32_t>, std::size_t> index_;
  std::set<WorldRank> has_tasks_;  // with more than the first
  std::unordered_map<std::uint64_t, Released> released_;
  std::vector<Timestamp> answers_;
};

}  // namespace

std::vector<Timestamp> resolve(std::vector<PhaseEdges> ranks, const std::vector<Query>& queries) {
  return Resolution(std::move(ranks), queries).run();
}

}  // namespace photofinish
