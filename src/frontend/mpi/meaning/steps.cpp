#include "frontend/mpi/meaning/steps.h"
#include "frontend/mpi/table/mpi_call.h"

#include <algorithm>

namespace photofinish::mpi_meaning {
namespace {

// Does not own the ranks: they belong to the definitions, which outlive the steps.
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
  switch (value_of(call)) {
#define FORMS(name)                   \
  case value_of(MpiCall::MPI_##name): \
  case value_of(MpiCall::MPI_##name##_c):
    FORMS(Ssend) FORMS(Issend) FORMS(Ssend_init) return SendMode::Synchronous;
    FORMS(Bsend) FORMS(Ibsend) FORMS(Bsend_init) return SendMode::Buffered;
    FORMS(Rsend) FORMS(Irsend) FORMS(Rsend_init) return SendMode::Ready;
#undef FORMS
    default:
      return SendMode::Standard;
  }
}

MessageStep MessageSteps::step(MessageStep::Kind kind, SiteId site) const {
  MessageStep step = effects_.message_step(kind, site);
  step.asked = asked;
  step.returned = !unreturned;
  return step;
}

std::uint64_t MessageSteps::send(const Event& event, const Comm& comm, WorldRank to, MessageKey key,
                                 bool at_once) {
  if (comm.has_external_ranks || to.value >= effects_.world_size()) return 0;
  MessageStep sent = step(MessageStep::Kind::Send, event.site);
  sent.operation = ++operations_;
  sent.mode = mode_of(event.call);
  sent.comm = comm.uid;
  sent.peer = to;
  sent.tag = event.fields[Field::send_tag];
  sent.key = key;
  sent.at_once = at_once;
  effects_.sink()->step(std::move(sent));
  return operations_;
}

void MessageSteps::received(const Event& event, const Comm& comm, MessageKey key) {
  const WorldRank from = event.fields.rank(Field::from);
  if (comm.has_external_ranks || from.value >= effects_.world_size()) return;
  MessageStep received = step(MessageStep::Kind::Receive, event.site);
  received.operation = ++operations_;
  received.comm = comm.uid;
  received.peer = from;
  received.tag = event.fields[Field::recv_tag];
  received.key = key;
  received.at_once = true;
  effects_.sink()->step(std::move(received));
}

// The match is reported at completion: until then an earlier receive may be cancelled, which
// changes the match.
std::uint64_t MessageSteps::receive(const Comm& comm, WorldRank from, std::int64_t tag,
                                    SiteId site) {
  if (comm.has_external_ranks || from.value >= effects_.world_size()) return 0;
  MessageStep posted = step(MessageStep::Kind::Receive, site);
  posted.operation = ++operations_;
  posted.comm = comm.uid;
  posted.peer = from;
  posted.tag = tag;
  effects_.sink()->step(std::move(posted));
  return operations_;
}

void MessageSteps::report(MessageStep::Kind kind, std::uint64_t operation, SiteId site) {
  MessageStep reported = step(kind, site);
  reported.operation = operation;
  effects_.sink()->step(std::move(reported));
}

void MessageSteps::complete(Posted& posted, SiteId site) {
  if (posted.operation == 0 || std::exchange(posted.reported_complete, true)) return;
  report(MessageStep::Kind::CompleteReceive, posted.operation, site);
}

// A receive that no call waits for takes its message, too. With a wildcard source or tag, the match
// is unknown.
void MessageSteps::taken(const Comm& comm, const Posted& posted) {
  if (effects_.sink() == nullptr || posted.operation == 0 || !posted.settled || posted.done ||
      posted.reported_complete || posted.from.value < 0)
    return;
  effects_.sink()->took(posted.operation, message_key(Channel::Message, comm.uid, posted.from,
                                                      effects_.rank(), posted.tag, posted.index));
}

void MessageSteps::over(Request& request, SiteId site) {
  if (request.send != 0)
    report(MessageStep::Kind::CompleteSend, std::exchange(request.send, 0), site);
  if (request.rare == nullptr) return;
  for (const Acquired& acquired : std::exchange(request.rare->acquired, {}))
    acquire(acquired, site);
}

void MessageSteps::probe(const Event& event, Action action, const Comm& comm, Posted& posted) {
  const WorldRank from = event.fields.rank(Field::from);
  if (action == Action::MatchedProbe) {
    posted.operation = receive(comm, from, event.fields[Field::recv_tag], event.site);
    complete(posted, event.site);
    return;
  }
  if (comm.has_external_ranks) return;
  MessageStep seen = step(MessageStep::Kind::Probe, event.site);
  seen.operation = posted.operation = ++operations_;
  seen.comm = comm.uid;
  seen.peer = from;
  seen.tag = event.fields[Field::recv_tag];
  effects_.sink()->step(std::move(seen));
}

void MessageSteps::waits(const Request& request, SiteId site) {
  if (request.receive != nullptr) complete(*request.receive, site);
  if (request.send != 0) report(MessageStep::Kind::CompleteSend, request.send, site);
  if (request.rare == nullptr) return;
  for (const Acquired& acquired : request.rare->acquired) acquire(acquired, site);
}

// --- order without messages

std::shared_ptr<const std::vector<WorldRank>> MessageSteps::one(WorldRank rank) {
  return std::make_shared<const std::vector<WorldRank>>(1, rank);
}

void MessageSteps::release(std::uint64_t key, std::size_t others, bool carries, SiteId site) {
  if (others == 0) return;
  MessageStep released = step(MessageStep::Kind::Release, site);
  released.key = key;
  released.others = static_cast<std::uint32_t>(others);
  released.carries = carries;
  effects_.sink()->step(std::move(released));
}

void MessageSteps::acquire(const Acquired& acquired, SiteId site) {
  if (acquired.from->empty()) return;
  MessageStep acquires = step(MessageStep::Kind::Acquire, site);
  acquires.key = acquired.key;
  acquires.from = acquired.from;
  acquires.carries = acquired.carries;
  effects_.sink()->step(std::move(acquires));
}

void MessageSteps::exchange(const Comm& comm, std::uint64_t key, SiteId site) {
  if (comm.has_external_ranks || comm.ranks == nullptr) return;
  release(key, comm.ranks->size(), true, site);
  acquire({key, those(*comm.ranks)}, site);
}

// Orders each rank after all lower ranks. Blocks of 1, 2, 4, … ranks share a key, so each rank has
// O(log n) releases and acquires.
void MessageSteps::prefix(const std::vector<WorldRank>& ranks, std::uint64_t position,
                          const std::function<std::uint64_t(std::uint64_t)>& key, const Flow& flow,
                          std::vector<Acquired>& acquires, SiteId site) {
  const std::uint64_t size = ranks.size();
  if (position >= size) return;
  for (std::uint64_t level = 0; (std::uint64_t{1} << level) < size; ++level) {
    const std::uint64_t block = position >> level, next = (block + 1) << level;
    const auto name = [&](std::uint64_t number) {
      return key(std::uint64_t{1} << 62 | number << 6 | level);
    };
    if (block % 2 == 0) {
      if (next < size)
        release(name(block), std::min(size, next + (std::uint64_t{1} << level)) - next, flow.reads,
                site);
      continue;
    }
    const auto first = ranks.begin() + static_cast<std::ptrdiff_t>((block - 1) << level);
    acquires.push_back({name(block - 1),
                        std::make_shared<const std::vector<WorldRank>>(
                            first, first + (std::ptrdiff_t{1} << level)),
                        flow.writes});
  }
}

std::vector<Acquired> MessageSteps::flow(const Event& event, Action action, When when,
                                         const Comm& of, const Flow& flow) {
  std::vector<Acquired> acquires;
  if (!flow.among_new_members && flow.number == 0) return acquires;  // this rank is not a member
  if (of.has_external_ranks || of.ranks == nullptr) return acquires;
  // Ranks that call different collectives do not match.
  const auto key = [&](std::uint64_t more) {
    return edge_key(Channel::Collective, of.uid.value, flow.number,
                    static_cast<std::uint64_t>(action), more);
  };
  const bool starts = when == When::Starts;
  const std::vector<WorldRank>& ranks = *of.ranks;
  switch (action) {
    case Action::Barrier:
    case Action::Allgather:
    case Action::Alltoall:
    case Action::Allreduce:
    case Action::ReduceScatter:
    case Action::CommCreate:
    case Action::WinCreate:
      if (of.remote_ranks != nullptr) {
        release(key(of.own_side), of.remote_ranks->size(), flow.reads, event.site);
        acquires.push_back({key(of.other_side), those(*of.remote_ranks), flow.writes});
      } else {
        release(key(0), ranks.size(), flow.reads, event.site);
        acquires.push_back({key(0), those(ranks), flow.writes});
      }
      break;
    case Action::Bcast:
    case Action::Scatter:
    case Action::Gather:
    case Action::Reduce: {
      if (of.remote_ranks != nullptr || !event.fields.has(Field::root)) break;
      const WorldRank root = event.fields.rank(Field::root);
      const bool from_root = action == Action::Bcast || action == Action::Scatter;
      if (from_root == (root == effects_.rank()))
        release(key(0), from_root ? ranks.size() - 1 : 1, flow.reads, event.site);
      else
        acquires.push_back(
            {key(0), from_root ? one(root) : without(ranks, effects_.rank()), flow.writes});
      break;
    }
    case Action::Scan:
    case Action::Exscan:  // a chain; not if nonblocking: a rank may complete before its predecessor
      if (starts) {
        // A blocking call comes here only if it did not return.
        const bool waits_later = traits(event.call).when != When::Blocks;
        if (waits_later) prefix(ranks, of.position, key, flow, acquires, event.site);
        break;
      }
      if (of.position > 0 && of.position < ranks.size())
        acquire({key(of.position), one(ranks[of.position - 1])}, event.site);
      if (of.position + 1 < ranks.size()) release(key(of.position + 1), 1, true, event.site);
      break;
    case Action::NeighborAllgather:
    case Action::NeighborAlltoall:
      neighbors(event, of, flow, acquires);
      break;
    default:
      break;
  }
  if (starts) return acquires;
  for (const Acquired& acquired : acquires) acquire(acquired, event.site);
  return {};
}

void MessageSteps::neighbors(const Event& event, const Comm& of, const Flow& flow,
                             std::vector<Acquired>& acquires) {
  const std::unordered_map<CommId, CommDefinition>& comms = effects_.definitions().comms;
  const auto found = comms.find(CommId(static_cast<std::uint32_t>(event.fields[Field::comm])));
  if (found == comms.end()) return;
  const auto pair = [&](WorldRank from, WorldRank to) {
    return edge_key(Channel::Neighbor, of.uid.value, flow.number,
                    static_cast<std::uint32_t>(from.value), static_cast<std::uint32_t>(to.value));
  };
  for (const WorldRank to : each_once(found->second.destinations))
    release(pair(effects_.rank(), to), 1, flow.reads, event.site);
  for (const WorldRank from : each_once(found->second.sources))
    acquires.push_back({pair(from, effects_.rank()), one(from), flow.writes});
}

// --- window locks

void MessageSteps::lock(MessageStep::Kind kind, const Window& window, WorldRank target,
                        bool exclusive, std::uint64_t ticks, SiteId site) {
  if (window.comm == nullptr || window.comm->has_external_ranks) return;
  MessageStep reported = step(kind, site);
  reported.comm = window.uid;
  reported.peer = target;
  reported.exclusive = exclusive;
  reported.operation = ticks;
  reported.tag = static_cast<std::int64_t>(effects_.definitions().rank.clock.id);
  effects_.sink()->step(std::move(reported));
}

void MessageSteps::locked(Window& window, WorldRank target, SiteId site) {
  for (auto& [on, held] : window.locks) {
    if ((target != kAnySource && on != kAnySource && on != target) || !held.checked ||
        std::exchange(held.reported, true))
      continue;
    lock(MessageStep::Kind::Locked, window, on, held.exclusive, effects_.times().end, site);
  }
}

void MessageSteps::await_lock(const Window& window, WorldRank target, bool exclusive, bool certain,
                              SiteId site) {
  MessageStep awaits = step(MessageStep::Kind::AwaitLock, site);
  awaits.comm = window.uid;
  awaits.peer = target;
  awaits.exclusive = exclusive;
  awaits.asked = !certain;
  effects_.sink()->step(std::move(awaits));
}

void MessageSteps::holds(const Window& window) {
  if (window.comm == nullptr || window.comm->has_external_ranks) return;
  for (const auto& [target, lock] : window.locks) {
    if (!lock.checked) continue;
    MessageStep holds = step(MessageStep::Kind::Holds, lock.site);
    holds.comm = window.uid;
    holds.peer = target;
    holds.exclusive = lock.exclusive;
    holds.returned = lock.reported;
    effects_.sink()->step(std::move(holds));
  }
}

}  // namespace photofinish::mpi_meaning
