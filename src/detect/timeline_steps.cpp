// What a rank does about messages, step by step, for those who look for message races
// (docs/internals/message-races.md, "Mapping of MPI").
//
// Rule: collectives count by who has to come there for a rank to go on, which follows from the
// action alone; whether data flows says whether it is order. Communicators with processes of other
// worlds are left out.
#include <algorithm>

#include "detect/timeline_state.h"

namespace photofinish {
namespace {

// The definitions live longer than the steps.
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
  step.moment = half_of(start_);  // messages have one order for all tasks
  step.site = site;
  step.site_key = site_key(site);
  step.asked = asked_;
  step.returned = !unreturned_;
  return step;
}

std::uint64_t Timeline::tell_send(const Event& event, const Comm& comm, WorldRank to,
                                  MessageKey key, bool at_once) {
  if (comm.outsiders || to.value >= world_size_) return 0;
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

// A receive that waited for its message.
void Timeline::tell_received(const Event& event, const Comm& comm, MessageKey key) {
  const WorldRank from(static_cast<std::int32_t>(event.fields[Field::from]));
  if (comm.outsiders || from.value >= world_size_) return;
  MessageStep received = step(MessageStep::Kind::Receive, event.site);
  received.operation = ++steps_;
  received.comm = comm.uid;
  received.peer = from;
  received.tag = event.fields[Field::recv_tag];
  received.key = key;
  received.at_once = true;
  sink_->step(std::move(received));
}

// Which message it takes is told when it has it: until then an earlier one may be cancelled, and it
// gets another.
std::uint64_t Timeline::tell_receive(const Comm& comm, WorldRank from, std::int64_t tag,
                                     SiteId site) {
  if (comm.outsiders || from.value >= world_size_) return 0;
  MessageStep posted = step(MessageStep::Kind::Receive, site);
  posted.operation = ++steps_;
  posted.comm = comm.uid;
  posted.peer = from;
  posted.tag = tag;
  sink_->step(std::move(posted));
  return steps_;
}

void Timeline::tell(MessageStep::Kind kind, std::uint64_t operation, SiteId site) {
  MessageStep told = step(kind, site);
  told.operation = operation;
  sink_->step(std::move(told));
}

void Timeline::tell_complete(Posted& posted, SiteId site) {
  if (posted.operation == 0 || std::exchange(posted.told_complete, true)) return;
  tell(MessageStep::Kind::CompleteReceive, posted.operation, site);
}

// That nobody waits for it does not keep it from taking its message. From any source, or with any
// tag, nobody knows which.
void Timeline::tell_taken(const Comm& comm, const Posted& posted) {
  if (sink_ == nullptr || posted.operation == 0 || !posted.settled || posted.done ||
      posted.told_complete || posted.from.value < 0)
    return;
  sink_->took(posted.operation, message_key(Channel::Message, comm.uid, posted.from, rank_,
                                            posted.tag, posted.index));
}

void Timeline::end_messages() {
  for (const auto& [id, request] : requests_)
    if (request.receive != nullptr) tell_taken(*request.comm, *request.receive);
  for (const auto& [id, window] : windows_) {
    if (window == nullptr || window->comm == nullptr || window->comm->outsiders) continue;
    for (const auto& [target, lock] : window->locks) {
      if (!lock.checked) continue;
      MessageStep holds = step(MessageStep::Kind::Holds, lock.site);
      holds.comm = window->uid;
      holds.peer = target;
      holds.exclusive = lock.exclusive;
      holds.returned = lock.told;
      sink_->step(std::move(holds));
    }
  }
}

void Timeline::tell_over(Request& request, SiteId site) {
  if (request.send != 0)
    tell(MessageStep::Kind::CompleteSend, std::exchange(request.send, 0), site);
  if (request.rare == nullptr) return;
  for (const Heard& heard : std::exchange(request.rare->heard, {})) tell_hear(heard, site);
}

void Timeline::tell_probe(const Event& event, Action action, const Comm& comm, Posted& posted) {
  const WorldRank from(static_cast<std::int32_t>(event.fields[Field::from]));
  if (action == Action::MatchedProbe) {
    posted.operation = tell_receive(comm, from, event.fields[Field::recv_tag], event.site);
    tell_complete(posted, event.site);
    return;
  }
  if (comm.outsiders) return;
  MessageStep seen = step(MessageStep::Kind::Probe, event.site);
  seen.operation = posted.operation = ++steps_;
  seen.comm = comm.uid;
  seen.peer = from;
  seen.tag = event.fields[Field::recv_tag];
  sink_->step(std::move(seen));
}

// A call that the rank was inside of at the end of the run: what it posted is there, and it waits.
// Where it is not known what for, nothing is told.
void Timeline::tell_unreturned(const Event& event) {
  const auto& [name, action, when] = traits(event.call);
  if (when == When::Consumes) return;  // it asks, and waits for nothing
  unreturned_ = true;
  if (action == Action::Wait || action == Action::WaitAll ||
      (action == Action::WaitAny && event.requests.size() == 1)) {
    for (const RequestId id : event.requests)
      if (const auto found = requests_.find(id); found != requests_.end())
        tell_waits(found->second, event.site);
    return;
  }
  if (event.fields.has(Field::win)) return tell_unreturned_synchronization(event, action);
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
      posted = tell_receive(comm, from, event.fields[Field::recv_tag], event.site);
  }
  if (sends) {
    const WorldRank to(static_cast<std::int32_t>(event.fields[Field::to]));
    const std::int64_t tag = event.fields[Field::send_tag];
    if (to.value >= 0)
      sent = tell_send(
          event, comm, to,
          message_key(Channel::Message, comm.uid, rank_, to, tag, comm.sent[{to, tag}]++), false);
  }
  if (!sends && !receives) {  // a collective, or something that says nothing
    const std::vector<Heard> hears =
        tell_flow(event, action, When::Starts, comm, flow_of(event, action, comm));
    if (when != When::Starts)
      for (const Heard& heard : hears) tell_hear(heard, event.site);
  }
  if (when == When::Starts) return;
  if (posted != 0) tell(MessageStep::Kind::CompleteReceive, posted, event.site);
  if (sent != 0) tell(MessageStep::Kind::CompleteSend, sent, event.site);
}

// The same for calls about windows.
void Timeline::tell_unreturned_synchronization(const Event& event, Action action) {
  Window& window = window_of(event);
  if (window.comm == nullptr || window.comm->outsiders) return;
  const std::int64_t assertion =
      event.fields.has(Field::assertion) ? event.fields[Field::assertion] : 0;
  const auto bits = [](WorldRank rank) { return static_cast<std::uint32_t>(rank.value); };
  const WorldRank target = event.fields.has(Field::target)
                               ? WorldRank(static_cast<std::int32_t>(event.fields[Field::target]))
                               : kAnySource;
  switch (action) {
    case Action::Fence:
      if ((assertion & kNoPrecede) == 0)
        tell_exchange(*window.comm,
                      signal_key(Channel::Collective, window.uid.value, window.fences.count()),
                      event.site);
      return;
    case Action::WinFree:
      return tell_exchange(*window.comm,
                           signal_key(Channel::Collective, window.uid.value, ~std::uint64_t{0}),
                           event.site);
    case Action::StartEpoch: {
      const auto group =
          definitions_.groups.find(GroupId(static_cast<std::uint32_t>(event.fields[Field::group])));
      if (group == definitions_.groups.end()) return;
      for (const WorldRank one : group->second.ranks)
        tell_hear({signal_key(Channel::Post, window.uid.value, bits(one), bits(rank_),
                              window.starts[one] + 1),
                   this->one(one)},
                  event.site);
      return;
    }
    case Action::Complete:
      for (std::size_t i = 0; i < window.start_keys.size(); ++i)
        tell_hear({window.start_keys[i], one(window.started[i])}, event.site);
      return;
    case Action::WaitEpoch:
      for (const WorldRank origin : window.posted)
        tell_hear({signal_key(Channel::Complete, window.uid.value, bits(origin), bits(rank_),
                              window.exposed[origin].count()),
                   one(origin)},
                  event.site);
      return;
    case Action::Lock:
    case Action::LockAll:
      if ((assertion & kNoCheck) != 0) return;
      return tell_await_lock(window, target,
                             action == Action::Lock && event.fields[Field::lock] == kExclusiveLock,
                             true, event.site);
    case Action::Unlock:
    case Action::UnlockAll:
    case Action::Flush:
    case Action::FlushAll:
    case Action::FlushLocal:
    case Action::FlushLocalAll:
      // A lock may be taken only when it is needed.
      for (const auto& [held, lock] : window.locks)
        if ((target == kAnySource || held == kAnySource || held == target) && lock.checked &&
            !lock.told)
          tell_await_lock(window, held, lock.exclusive, false, event.site);
      return;
    default:
      return;
  }
}

void Timeline::tell_await_lock(const Window& window, WorldRank target, bool exclusive, bool certain,
                               SiteId site) {
  MessageStep awaits = step(MessageStep::Kind::AwaitLock, site);
  awaits.comm = window.uid;
  awaits.peer = target;
  awaits.exclusive = exclusive;
  awaits.asked = !certain;
  sink_->step(std::move(awaits));
}

// What the rank waits for that ended in a wait for it.
void Timeline::tell_waits(const Request& request, SiteId site) {
  if (request.receive != nullptr) tell_complete(*request.receive, site);
  if (request.send != 0) tell(MessageStep::Kind::CompleteSend, request.send, site);
  if (request.rare == nullptr) return;
  for (const Heard& heard : request.rare->heard) tell_hear(heard, site);
}

// --- order of other kinds

std::shared_ptr<const std::vector<WorldRank>> Timeline::one(WorldRank rank) {
  return std::make_shared<const std::vector<WorldRank>>(1, rank);
}

void Timeline::tell_say(std::uint64_t key, std::size_t others, bool carries, SiteId site) {
  if (others == 0) return;
  MessageStep said = step(MessageStep::Kind::Say, site);
  said.key = key;
  said.others = static_cast<std::uint32_t>(others);
  said.carries = carries;
  sink_->step(std::move(said));
}

void Timeline::tell_hear(const Heard& heard, SiteId site) {
  if (heard.from->empty()) return;
  MessageStep hears = step(MessageStep::Kind::Hear, site);
  hears.key = heard.key;
  hears.from = heard.from;
  hears.carries = heard.carries;
  sink_->step(std::move(hears));
}

void Timeline::tell_lock(MessageStep::Kind kind, const Window& window, WorldRank target,
                         bool exclusive, std::uint64_t ticks, SiteId site) {
  if (window.comm == nullptr || window.comm->outsiders) return;
  MessageStep told = step(kind, site);
  told.comm = window.uid;
  told.peer = target;
  told.exclusive = exclusive;
  told.operation = ticks;
  told.tag = static_cast<std::int64_t>(definitions_.rank.clock.id);
  sink_->step(std::move(told));
}

void Timeline::tell_locked(Window& window, WorldRank target, SiteId site) {
  for (auto& [held, lock] : window.locks) {
    if ((target != kAnySource && held != kAnySource && held != target) || !lock.checked ||
        std::exchange(lock.told, true))
      continue;
    tell_lock(MessageStep::Kind::Locked, window, held, lock.exclusive, times_.end, site);
  }
}

// All of a group come, and go on when all are there.
void Timeline::tell_exchange(const Comm& comm, std::uint64_t key, SiteId site) {
  if (comm.outsiders || comm.ranks == nullptr) return;
  tell_say(key, comm.ranks->size(), true, site);
  tell_hear({key, those(*comm.ranks)}, site);
}

// From all before it to each: blocks of 1, 2, 4, … ranks speak as one, so that everybody says and
// hears few things.
void Timeline::tell_prefix(const std::vector<WorldRank>& ranks, std::uint64_t place,
                           const std::function<std::uint64_t(std::uint64_t)>& key, const Flow& flow,
                           std::vector<Heard>& hears, SiteId site) {
  const std::uint64_t size = ranks.size();
  if (place >= size) return;
  for (std::uint64_t level = 0; (std::uint64_t{1} << level) < size; ++level) {
    const std::uint64_t block = place >> level, next = (block + 1) << level;
    const auto name = [&](std::uint64_t number) {
      return key(std::uint64_t{1} << 62 | number << 6 | level);
    };
    if (block % 2 == 0) {
      if (next < size)
        tell_say(name(block), std::min(size, next + (std::uint64_t{1} << level)) - next, flow.reads,
                 site);
      continue;
    }
    const auto first = ranks.begin() + static_cast<std::ptrdiff_t>((block - 1) << level);
    hears.push_back({name(block - 1),
                     std::make_shared<const std::vector<WorldRank>>(
                         first, first + (std::ptrdiff_t{1} << level)),
                     flow.writes});
  }
}

// What it says is told now; what it hears comes back if that is only when a request completes.
std::vector<Timeline::Heard> Timeline::tell_flow(const Event& event, Action action, When when,
                                                 Comm& comm, const Flow& flow) {
  std::vector<Heard> hears;
  const Comm* of = &comm;
  const std::uint64_t number = flow.number;
  if (flow.among_new_members) {
    of = &this->comm(CommId(static_cast<std::uint32_t>(event.fields[Field::new_comm])));
  } else if (number == 0) {
    return hears;  // it is not among them
  }
  if (of->outsiders || of->ranks == nullptr) return hears;
  // Ranks that call different ones do not meet.
  const auto key = [&](std::uint64_t more) {
    return signal_key(Channel::Collective, of->uid.value, number,
                      static_cast<std::uint64_t>(action), more);
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
        tell_say(key(of->own_side), of->remote_ranks->size(), flow.reads, event.site);
        hears.push_back({key(of->other_side), those(*of->remote_ranks), flow.writes});
      } else {
        tell_say(key(0), ranks.size(), flow.reads, event.site);
        hears.push_back({key(0), those(ranks), flow.writes});
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
        tell_say(key(0), from_root ? ranks.size() - 1 : 1, flow.reads, event.site);
      else
        hears.push_back({key(0), from_root ? one(root) : without(ranks, rank_), flow.writes});
      break;
    }
    case Action::Scan:
    case Action::Exscan:  // a chain; without blocking, a rank may be through before the one that it
                          // hears of
      if (starts) {
        const bool waits_later =
            traits(event.call).when != When::Blocks;  // else it is one that did not return
        if (waits_later) tell_prefix(ranks, of->place, key, flow, hears, event.site);
        break;
      }
      if (of->place > 0 && of->place < ranks.size())
        tell_hear({key(of->place), one(ranks[of->place - 1])}, event.site);
      if (of->place + 1 < ranks.size()) tell_say(key(of->place + 1), 1, true, event.site);
      break;
    case Action::NeighborAllgather:
    case Action::NeighborAlltoall: {
      const auto found =
          definitions_.comms.find(CommId(static_cast<std::uint32_t>(event.fields[Field::comm])));
      if (found == definitions_.comms.end()) break;
      const auto pair = [&](WorldRank from, WorldRank to) {
        return signal_key(Channel::Neighbour, of->uid.value, number,
                          static_cast<std::uint32_t>(from.value),
                          static_cast<std::uint32_t>(to.value));
      };
      for (const WorldRank to : each_once(found->second.destinations))
        tell_say(pair(rank_, to), 1, flow.reads, event.site);
      for (const WorldRank from : each_once(found->second.sources))
        hears.push_back({pair(from, rank_), one(from), flow.writes});
      break;
    }
    default:
      break;
  }
  if (starts) return hears;
  for (const Heard& heard : hears) tell_hear(heard, event.site);
  return {};
}

}  // namespace photofinish
