#include "oracle_order.h"

#include <algorithm>

namespace photofinish::testing {
namespace {

int position_in(const std::vector<WorldRank>& group, int rank) {
  return static_cast<int>(std::find(group.begin(), group.end(), WorldRank(rank)) - group.begin());
}

// Whether data must flow from one rank to another in a collective that both have joined.
bool flows(const Execution& execution, const Joined& from, const Joined& to) {
  const int giver = from.event.rank, taker = to.event.rank;
  if (to.comm == nullptr) return true;  // fence, free
  const auto& groups = execution.ranks[static_cast<std::size_t>(taker)].definitions.groups;
  const auto& group = groups.at(to.comm->group).ranks;
  const bool same_group = position_in(group, giver) < static_cast<int>(group.size());
  if (to.comm->remote_group != GroupId(0) && same_group) return false;
  const bool data = from.gives && to.takes;
  switch (to.action) {
    case Action::Barrier:
    case Action::CommCreate:
    case Action::WinCreate:
      return true;
    case Action::Allgather:
    case Action::Alltoall:
    case Action::Allreduce:
    case Action::ReduceScatter:
      return data;
    case Action::Bcast:
    case Action::Scatter:
      return data && to.root == giver;
    case Action::Gather:
    case Action::Reduce:
      return data && from.root == taker;
    case Action::Scan:
    case Action::Exscan:
      return data && position_in(group, giver) < position_in(group, taker);
    case Action::NeighborAllgather:
    case Action::NeighborAlltoall:
      return data &&
             std::count(to.comm->sources.begin(), to.comm->sources.end(), WorldRank(giver)) != 0;
    default:
      return false;
  }
}

void add_collectives(const History& history, Edges& edges) {
  for (const auto& [key, all] : history.collectives)
    for (const Joined& from : all)
      for (const Joined& to : all)
        if (from.event.rank != to.event.rank && flows(history.execution, from, to))
          for (const Point& done : to.done) edges.insert({start_of(from.event), done});
}

bool same_channel(const Sent& sent, Uid comm, int from, int to, std::int64_t tag) {
  return sent.comm == comm && sent.event.rank == from && sent.to == to && sent.tag == tag;
}

// The index-th message (from 0) between two ranks with this communicator and tag.
const Sent* find_sent(const History& history, Uid comm, int from, int to, std::int64_t tag,
                      std::size_t index) {
  for (const Sent& sent : history.sent)
    if (same_channel(sent, comm, from, to, tag) && index-- == 0) return &sent;
  return nullptr;
}

// The number of earlier receives that took a message from that rank with that tag.
template <class Before>
std::size_t taken_before(const History& history, Uid comm, int from, int to, std::int64_t tag,
                         Before before) {
  return static_cast<std::size_t>(std::count_if(
      history.received.begin(), history.received.end(), [&](const Received& received) {
        return received.posted.rank == to && received.comm == comm && received.from == from &&
               received.tag == tag && before(received);
      }));
}

const Sent* sent_to(const History& history, const Received& received) {
  if (!received.from || *received.from < 0) return nullptr;
  const int to = received.posted.rank;
  const std::size_t before =
      taken_before(history, received.comm, *received.from, to, received.tag,
                   [&](const Received& other) { return &other < &received; });
  return find_sent(history, received.comm, *received.from, to, received.tag, before);
}

void add_messages(const History& history, Edges& edges) {
  for (const Received& received : history.received) {
    const Sent* sent = sent_to(history, received);
    if (sent == nullptr) continue;
    for (const Point& done : received.done) edges.insert({start_of(sent->event), done});
    if (!sent->synchronous || !received.started) continue;
    for (const Point& done : sent->done) edges.insert({start_of(*received.started), done});
  }
  for (const Probed& probed : history.probed) {
    const std::size_t before = taken_before(
        history, probed.comm, probed.from, probed.event.rank, probed.tag,
        [&](const Received& other) { return other.posted.event < probed.event.event; });
    const Sent* sent =
        find_sent(history, probed.comm, probed.from, probed.event.rank, probed.tag, before);
    if (sent != nullptr) edges.insert({start_of(sent->event), return_of(probed.event)});
  }
}

void add_epochs(const History& history, Edges& edges) {
  for (const auto& [key, starts] : history.starts) {
    const auto& [origin, win] = key;
    std::map<int, std::size_t> counted;  // epochs with each target
    for (const Started& start : starts)
      for (const WorldRank target : start.group) {
        const std::size_t index = ++counted[target.value];
        const auto posts = history.posts.find({target.value, win});
        const Posted* post =
            posts == history.posts.end() ? nullptr : epoch_with(posts->second, origin, index);
        if (post == nullptr) continue;
        edges.insert({start_of(post->event), return_of(start.event)});
        if (start.completed && post->waited)
          edges.insert({start_of(*start.completed), *post->waited});
      }
  }
}

}  // namespace

Edges find_edges(const History& history) {
  Edges edges;
  add_collectives(history, edges);
  add_messages(history, edges);
  add_epochs(history, edges);
  return edges;
}

std::set<std::pair<Ref, Ref>> match_messages(const History& history) {
  std::set<std::pair<Ref, Ref>> matched;
  for (const Received& received : history.received)
    if (const Sent* sent = sent_to(history, received))
      matched.insert({sent->event, received.posted});
  return matched;
}

Reachability::Reachability(const Execution& execution, const Edges& edges) {
  std::size_t nodes = 0;
  for (const Execution::Rank& rank : execution.ranks) {
    first_.push_back(nodes);
    nodes += 2 * rank.events.size();
  }
  rows_.assign(nodes, std::vector<std::uint64_t>((nodes + 63) / 64));
  for (std::size_t rank = 0; rank < execution.ranks.size(); ++rank) add_tasks(execution, rank);
  for (const auto& [from, to] : edges) add(node(from), node(to));
  for (std::size_t through = 0; through < nodes; ++through)
    for (std::size_t from = 0; from < nodes; ++from)
      if ((rows_[from][through / 64] >> (through % 64) & 1) != 0)
        for (std::size_t i = 0; i < rows_[from].size(); ++i) rows_[from][i] |= rows_[through][i];
}

// The order of each task's events; from each release of a key to all acquires that follow it; and
// from the start of a request to what completes it.
void Reachability::add_tasks(const Execution& execution, std::size_t rank) {
  const std::vector<Event>& events = execution.ranks[rank].events;
  std::map<std::uint32_t, std::size_t> last;  // return of each task's last event
  std::map<std::int64_t, std::vector<std::size_t>> released;
  std::map<RequestId, std::size_t> started;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::size_t start = first_[rank] + 2 * i, end = start + 1;
    add(start, end);
    if (const auto before = last.find(task_of_event(events[i])); before != last.end())
      add(before->second, start);
    last[task_of_event(events[i])] = end;
    const Action action = traits(events[i].call).action;
    const FieldSet& fields = events[i].fields;
    if (action == Action::RequestStatus) {
      const auto from = started.find(RequestId(fields[Field::request]));
      if (from != started.end() && fields[Field::flag] != 0) add(from->second, end);
    } else if (fields.has(Field::request)) {
      started[RequestId(fields[Field::request])] = start;
    }
    for (const RequestId id : events[i].requests)
      if (action == Action::Start) started[id] = start;
    for (const Completion& done : events[i].completions)
      if (const auto from = started.find(events[i].requests[done.index]); from != started.end())
        add(from->second, end);
    if (action == Action::TaskRelease)
      released[events[i].fields[Field::key]].push_back(start);
    else if (action == Action::TaskAcquire)
      for (const std::size_t from : released[events[i].fields[Field::key]]) add(from, end);
  }
}

bool Reachability::has_cycle() const {
  for (std::size_t node = 0; node < rows_.size(); ++node)
    if ((rows_[node][node / 64] >> (node % 64) & 1) != 0) return true;
  return false;
}

}  // namespace photofinish::testing
