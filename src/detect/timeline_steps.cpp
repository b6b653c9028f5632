// Derives the message steps of a rank for the message analysis (docs/internals/message-races.md,
// "Mapping of MPI").
//
// Rule: a collective counts by the ranks that must call it before this rank can continue, which
// follows from the action alone. It creates order only if data flows. Communicators with processes
// of other worlds are ignored.
#include <algorithm>

#include "detect/timeline_state.h"

namespace photofinish {
namespace {

// The definitions outlive the steps.
std::shared_ptr<const std::vector<WorldRank>> those(const std::vector<WorldRank>& ranks) {
  return {std::shared_ptr<const void>(), &ranks};
}

std::shared_ptr<const std::vector<WorldRank>> without(const std::vector<WorldRank>& ranks,
                                                      WorldRank one) {
  auto others = std::make_shared<std::vector<WorldRank>>();
  std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(*others),
               [&](WorldRank rank) { return rank != one; });
  return others;
}

std::vector<WorldRank> each_once(std::vector<WorldRank> ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  std::erase_if(ranks, [](WorldRank rank) { return rank.value < 0; });
  return ranks;
}

}  // namespace

SendMode mode_of(Call call) {
  switch (call) {
#define FORMS(name)      \
  case Call::MPI_##name: \
  case Call::MPI_##name##_c:
    FORMS(Ssend) FORMS(Issend) FORMS(Ssend_init) return SendMode::Synchronous;
    FORMS(Bsend) FORMS(Ibsend) FORMS(Bsend_init) return SendMode::Buffered;
    FORMS(Rsend) FORMS(Irsend) FORMS(Rsend_init) return SendMode::Ready;
#undef FORMS
    default:
      return SendMode::Standard;
  }
}

MessageStep Timeline::step(MessageStep::Kind kind, SiteId site) const {
  MessageStep step;
  step.kind = kind;
  step.timestamp = half_of(start_);  // messages have one order for all tasks
  step.site = site;
  step.site_key = site_key(site);
  step.asked = asked_;
  step.returned = !unreturned_;
  return step;
}

std::uint64_t Timeline::report_send(const Event& event, const Comm& comm, WorldRank to,
                                    MessageKey key, bool at_once) {
  if (comm.has_external_ranks || to.value >= world_size_) return 0;
  MessageStep sent = step(MessageStep::Kind::Send, event.site);
  sent.operation = ++steps_;
  sent.mode = mode_of(event.call);
  sent.comm = comm.uid;
  sent.peer = to;
  sent.tag = event.fields[Field::send_tag];
  sent.key = key;
  sent.at_once = at_once;
  sink_->step(std::move(sent));
  return steps_;
}

// A blocking receive.
void Timeline::report_received(const Event& event, const Comm& comm, MessageKey key) {
  const WorldRank from(static_cast<std::int32_t>(event.fields[Field::from]));
  if (comm.has_external_ranks || from.value >= world_size_) return;
  MessageStep received = step(MessageStep::Kind::Receive, event.site);
  received.operation = ++steps_;
  received.comm = comm.uid;
  received.peer = from;
  received.tag = event.fields[Field::recv_tag];
  received.key = key;
  received.at_once = true;
  sink_->step(std::move(received));
}

// The match is reported at completion: until then an earlier receive may be cancelled, which
// changes the match.
std::uint64_t Timeline::report_receive(const Comm& comm, WorldRank from, std::int64_t tag,
                                       SiteId site) {
  if (comm.has_external_ranks || from.value >= world_size_) return 0;
  MessageStep posted = step(MessageStep::Kind::Receive, site);
  posted.operation = ++steps_;
  posted.comm = comm.uid;
  posted.peer = from;
  posted.tag = tag;
  sink_->step(std::move(posted));
  return steps_;
}

void Timeline::report(MessageStep::Kind kind, std::uint64_t operation, SiteId site) {
  MessageStep reported = step(kind, site);
  reported.operation = operation;
  sink_->step(std::move(reported));
}

void Timeline::report_complete(Posted& posted, SiteId site) {
  if (posted.operation == 0 || std::exchange(posted.reported_complete, true)) return;
  report(MessageStep::Kind::CompleteReceive, posted.operation, site);
}

// A receive without a wait takes its message, too. With a wildcard source or tag, the match is
// unknown.
void Timeline::report_taken(const Comm& comm, const Posted& posted) {
  if (sink_ == nullptr || posted.operation == 0 || !posted.settled || posted.done ||
      posted.reported_complete || posted.from.value < 0)
    return;
  sink_->took(posted.operation, message_key(Channel::Message, comm.uid, posted.from, rank_,
                                            posted.tag, posted.index));
}

void Timeline::end_messages() {
  for (const auto& [id, request] : requests_)
    if (request.receive != nullptr) report_taken(*request.comm, *request.receive);
  for (const auto& [id, window] : windows_) {
    if (window == nullptr || window->comm == nullptr || window->comm->has_external_ranks) continue;
    for (const auto& [target, lock] : window->locks) {
      if (!lock.checked) continue;
      MessageStep holds = step(MessageStep::Kind::Holds, lock.site);
      holds.comm = window->uid;
      holds.peer = target;
      holds.exclusive = lock.exclusive;
      holds.returned = lock.reported;
      sink_->step(std::move(holds));
    }
  }
}

void Timeline::report_over(Request& request, SiteId site) {
  if (request.send != 0)
    report(MessageStep::Kind::CompleteSend, std::exchange(request.send, 0), site);
  if (request.rare == nullptr) return;
  for (const Acquired& acquired : std::exchange(request.rare->acquired, {}))
    report_acquire(acquired, site);
}

void Timeline::report_probe(const Event& event, Action action, const Comm& comm, Posted& posted) {
  const WorldRank from(static_cast<std::int32_t>(event.fields[Field::from]));
  if (action == Action::MatchedProbe) {
    posted.operation = report_receive(comm, from, event.fields[Field::recv_tag], event.site);
    report_complete(posted, event.site);
    return;
  }
  if (comm.has_external_ranks) return;
  MessageStep seen = step(MessageStep::Kind::Probe, event.site);
  seen.operation = posted.operation = ++steps_;
  seen.comm = comm.uid;
  seen.peer = from;
  seen.tag = event.fields[Field::recv_tag];
  sink_->step(std::move(seen));
}

// A call that did not return: what it posted exists, and the rank waits. If the reason is not
// known, no wait is reported.
void Timeline::report_unreturned(const Event& event) {
  const auto& [name, action, when] = traits(event.call);
  if (when == When::Consumes) return;  // it polls, and waits for nothing
  unreturned_ = true;
  if (action == Action::Wait || action == Action::WaitAll ||
      (action == Action::WaitAny && event.requests.size() == 1)) {
    for (const RequestId id : event.requests)
      if (const auto found = requests_.find(id); found != requests_.end())
        report_waits(found->second, event.site);
    return;
  }
  if (event.fields.has(Field::win)) return report_unreturned_synchronization(event, action);
  if (when == When::Prepares || !event.fields.has(Field::comm)) return;
  Comm& comm = this->comm(CommId(static_cast<std::uint32_t>(event.fields[Field::comm])));
  const bool both = action == Action::SendReceive || action == Action::SendReceiveReplace;
  const bool probes = action == Action::Probe || action == Action::MatchedProbe;
  const bool receives = action == Action::Receive || both || probes;
  const bool sends = action == Action::Send || both;
  std::uint64_t posted = 0, sent = 0;
  if (receives) {
    const WorldRank from(static_cast<std::int32_t>(event.fields[Field::from]));
    if (from != kProcNull)
      posted = report_receive(comm, from, event.fields[Field::recv_tag], event.site);
  }
  if (sends) {
    const WorldRank to(static_cast<std::int32_t>(event.fields[Field::to]));
    const std::int64_t tag = event.fields[Field::send_tag];
    if (to.value >= 0)
      sent = report_send(
          event, comm, to,
          message_key(Channel::Message, comm.uid, rank_, to, tag, comm.sent[{to, tag}]++), false);
  }
  if (!sends && !receives) {  // a collective, or a call without messages
    const std::vector<Acquired> acquires =
        report_flow(event, action, When::Starts, comm, flow_of(event, action, comm));
    if (when != When::Starts)
      for (const Acquired& acquired : acquires) report_acquire(acquired, event.site);
  }
  if (when == When::Starts) return;
  if (posted != 0) report(MessageStep::Kind::CompleteReceive, posted, event.site);
  if (sent != 0) report(MessageStep::Kind::CompleteSend, sent, event.site);
}

// The same for window calls.
void Timeline::report_unreturned_synchronization(const Event& event, Action action) {
  Window& window = window_of(event);
  if (window.comm == nullptr || window.comm->has_external_ranks) return;
  const std::int64_t assertion =
      event.fields.has(Field::assertion) ? event.fields[Field::assertion] : 0;
  const auto bits = [](WorldRank rank) { return static_cast<std::uint32_t>(rank.value); };
  const WorldRank target = event.fields.has(Field::target)
                               ? WorldRank(static_cast<std::int32_t>(event.fields[Field::target]))
                               : kAnySource;
  switch (action) {
    case Action::Fence:
      if ((assertion & kNoPrecede) == 0)
        report_exchange(*window.comm,
                        edge_key(Channel::Collective, window.uid.value, window.fences.count()),
                        event.site);
      return;
    case Action::WinFree:
      return report_exchange(*window.comm,
                             edge_key(Channel::Collective, window.uid.value, ~std::uint64_t{0}),
                             event.site);
    case Action::StartEpoch: {
      const auto group =
          definitions_.groups.find(GroupId(static_cast<std::uint32_t>(event.fields[Field::group])));
      if (group == definitions_.groups.end()) return;
      for (const WorldRank one : group->second.ranks)
        report_acquire({edge_key(Channel::Post, window.uid.value, bits(one), bits(rank_),
                                 window.starts[one] + 1),
                        this->one(one)},
                       event.site);
      return;
    }
    case Action::Complete:
      for (std::size_t i = 0; i < window.start_keys.size(); ++i)
        report_acquire({window.start_keys[i], one(window.started[i])}, event.site);
      return;
    case Action::WaitEpoch:
      for (const WorldRank origin : window.posted)
        report_acquire({edge_key(Channel::Complete, window.uid.value, bits(origin), bits(rank_),
                                 window.exposed[origin].count()),
                        one(origin)},
                       event.site);
      return;
    case Action::Lock:
    case Action::LockAll:
      if ((assertion & kNoCheck) != 0) return;
      return report_await_lock(
          window, target, action == Action::Lock && event.fields[Field::lock] == kExclusiveLock,
          true, event.site);
    case Action::Unlock:
    case Action::UnlockAll:
    case Action::Flush:
    case Action::FlushAll:
    case Action::FlushLocal:
    case Action::FlushLocalAll:
      // A lock may be acquired only when it is needed.
      for (const auto& [held, lock] : window.locks)
        if ((target == kAnySource || held == kAnySource || held == target) && lock.checked &&
            !lock.reported)
          report_await_lock(window, held, lock.exclusive, false, event.site);
      return;
    default:
      return;
  }
}

void Timeline::report_await_lock(const Window& window, WorldRank target, bool exclusive,
                                 bool certain, SiteId site) {
  MessageStep awaits = step(MessageStep::Kind::AwaitLock, site);
  awaits.comm = window.uid;
  awaits.peer = target;
  awaits.exclusive = exclusive;
  awaits.asked = !certain;
  sink_->step(std::move(awaits));
}

// The operation that a rank waited for when it ended.
void Timeline::report_waits(const Request& request, SiteId site) {
  if (request.receive != nullptr) report_complete(*request.receive, site);
  if (request.send != 0) report(MessageStep::Kind::CompleteSend, request.send, site);
  if (request.rare == nullptr) return;
  for (const Acquired& acquired : request.rare->acquired) report_acquire(acquired, site);
}

// --- order of other kinds

std::shared_ptr<const std::vector<WorldRank>> Timeline::one(WorldRank rank) {
  return std::make_shared<const std::vector<WorldRank>>(1, rank);
}

void Timeline::report_release(std::uint64_t key, std::size_t others, bool carries, SiteId site) {
  if (others == 0) return;
  MessageStep released = step(MessageStep::Kind::Release, site);
  released.key = key;
  released.others = static_cast<std::uint32_t>(others);
  released.carries = carries;
  sink_->step(std::move(released));
}

void Timeline::report_acquire(const Acquired& acquired, SiteId site) {
  if (acquired.from->empty()) return;
  MessageStep acquires = step(MessageStep::Kind::Acquire, site);
  acquires.key = acquired.key;
  acquires.from = acquired.from;
  acquires.carries = acquired.carries;
  sink_->step(std::move(acquires));
}

void Timeline::report_lock(MessageStep::Kind kind, const Window& window, WorldRank target,
                           bool exclusive, std::uint64_t ticks, SiteId site) {
  if (window.comm == nullptr || window.comm->has_external_ranks) return;
  MessageStep reported = step(kind, site);
  reported.comm = window.uid;
  reported.peer = target;
  reported.exclusive = exclusive;
  reported.operation = ticks;
  reported.tag = static_cast<std::int64_t>(definitions_.rank.clock.id);
  sink_->step(std::move(reported));
}

void Timeline::report_locked(Window& window, WorldRank target, SiteId site) {
  for (auto& [held, lock] : window.locks) {
    if ((target != kAnySource && held != kAnySource && held != target) || !lock.checked ||
        std::exchange(lock.reported, true))
      continue;
    report_lock(MessageStep::Kind::Locked, window, held, lock.exclusive, times_.end, site);
  }
}

// All ranks of a group release, and continue when all have.
void Timeline::report_exchange(const Comm& comm, std::uint64_t key, SiteId site) {
  if (comm.has_external_ranks || comm.ranks == nullptr) return;
  report_release(key, comm.ranks->size(), true, site);
  report_acquire({key, those(*comm.ranks)}, site);
}

// Each rank follows all lower ones. Blocks of 1, 2, 4, … ranks share a key, so that each rank has
// few releases and acquires.
void Timeline::report_prefix(const std::vector<WorldRank>& ranks, std::uint64_t position,
                             const std::function<std::uint64_t(std::uint64_t)>& key,
                             const Flow& flow, std::vector<Acquired>& acquires, SiteId site) {
  const std::uint64_t size = ranks.size();
  if (position >= size) return;
  for (std::uint64_t level = 0; (std::uint64_t{1} << level) < size; ++level) {
    const std::uint64_t block = position >> level, next = (block + 1) << level;
    const auto name = [&](std::uint64_t number) {
      return key(std::uint64_t{1} << 62 | number << 6 | level);
    };
    if (block % 2 == 0) {
      if (next < size)
        report_release(name(block), std::min(size, next + (std::uint64_t{1} << level)) - next,
                       flow.reads, site);
      continue;
    }
    const auto first = ranks.begin() + static_cast<std::ptrdiff_t>((block - 1) << level);
    acquires.push_back({name(block - 1),
                        std::make_shared<const std::vector<WorldRank>>(
                            first, first + (std::ptrdiff_t{1} << level)),
                        flow.writes});
  }
}

// Reports the releases now. Returns the acquires, if they occur only when a request completes.
std::vector<Timeline::Acquired> Timeline::report_flow(const Event& event, Action action, When when,
                                                      Comm& comm, const Flow& flow) {
  std::vector<Acquired> acquires;
  const Comm* of = &comm;
  const std::uint64_t number = flow.number;
  if (flow.among_new_members) {
    of = &this->comm(CommId(static_cast<std::uint32_t>(event.fields[Field::new_comm])));
  } else if (number == 0) {
    return acquires;  // this rank is not a member
  }
  if (of->has_external_ranks || of->ranks == nullptr) return acquires;
  // Ranks that call different collectives do not match.
  const auto key = [&](std::uint64_t more) {
    return edge_key(Channel::Collective, of->uid.value, number, static_cast<std::uint64_t>(action),
                    more);
  };
  const bool starts = when == When::Starts;
  const std::vector<WorldRank>& ranks = *of->ranks;
  switch (action) {
    case Action::Barrier:
    case Action::Allgather:
    case Action::Alltoall:
    case Action::Allreduce:
    case Action::ReduceScatter:
    case Action::CommCreate:
    case Action::WinCreate:
      if (of->remote_ranks != nullptr) {
        report_release(key(of->own_side), of->remote_ranks->size(), flow.reads, event.site);
        acquires.push_back({key(of->other_side), those(*of->remote_ranks), flow.writes});
      } else {
        report_release(key(0), ranks.size(), flow.reads, event.site);
        acquires.push_back({key(0), those(ranks), flow.writes});
      }
      break;
    case Action::Bcast:
    case Action::Scatter:
    case Action::Gather:
    case Action::Reduce: {
      if (of->remote_ranks != nullptr || !event.fields.has(Field::root)) break;
      const WorldRank root(static_cast<std::int32_t>(event.fields[Field::root]));
      const bool from_root = action == Action::Bcast || action == Action::Scatter;
      if (from_root == (root == rank_))
        report_release(key(0), from_root ? ranks.size() - 1 : 1, flow.reads, event.site);
      else
        acquires.push_back({key(0), from_root ? one(root) : without(ranks, rank_), flow.writes});
      break;
    }
    case Action::Scan:
    case Action::Exscan:  // a chain; if nonblocking, a rank may complete before one that it follows
      if (starts) {
        // Otherwise the call did not return.
        const bool waits_later = traits(event.call).when != When::Blocks;
        if (waits_later) report_prefix(ranks, of->position, key, flow, acquires, event.site);
        break;
      }
      if (of->position > 0 && of->position < ranks.size())
        report_acquire({key(of->position), one(ranks[of->position - 1])}, event.site);
      if (of->position + 1 < ranks.size())
        report_release(key(of->position + 1), 1, true, event.site);
      break;
    case Action::NeighborAllgather:
    case Action::NeighborAlltoall: {
      const auto found =
          definitions_.comms.find(CommId(static_cast<std::uint32_t>(event.fields[Field::comm])));
      if (found == definitions_.comms.end()) break;
      const auto pair = [&](WorldRank from, WorldRank to) {
        return edge_key(Channel::Neighbor, of->uid.value, number,
                        static_cast<std::uint32_t>(from.value),
                        static_cast<std::uint32_t>(to.value));
      };
      for (const WorldRank to : each_once(found->second.destinations))
        report_release(pair(rank_, to), 1, flow.reads, event.site);
      for (const WorldRank from : each_once(found->second.sources))
        acquires.push_back({pair(from, rank_), one(from), flow.writes});
      break;
    }
    default:
      break;
  }
  if (starts) return acquires;
  for (const Acquired& acquired : acquires) report_acquire(acquired, event.site);
  return {};
}

}  // namespace photofinish
