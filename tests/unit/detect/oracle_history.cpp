#include "oracle_history.h"
#include "frontend/mpi/table/elements.h"
#include "frontend/mpi/table/mpi_call.h"

#include <algorithm>

namespace photofinish::testing {
namespace {

bool is_one_sided(Action action) {
  return action == Action::Put || action == Action::Get || action == Action::Accumulate ||
         action == Action::GetAccumulate || action == Action::FetchAndOp ||
         action == Action::CompareAndSwap;
}

bool brings_back(Action action) {
  return action == Action::Get || action == Action::GetAccumulate || action == Action::FetchAndOp ||
         action == Action::CompareAndSwap;
}

bool is_target(BufferUse use) {
  return use == BufferUse::TargetRead || use == BufferUse::TargetWrite ||
         use == BufferUse::TargetUpdate;
}

bool is_synchronous(Call call) {
  return call == MpiCall::MPI_Ssend || call == MpiCall::MPI_Ssend_c ||
         call == MpiCall::MPI_Issend || call == MpiCall::MPI_Issend_c ||
         call == MpiCall::MPI_Ssend_init || call == MpiCall::MPI_Ssend_init_c;
}

bool is_call_of_all(Action action) {
  switch (action) {
    case Action::Barrier:
    case Action::Bcast:
    case Action::Gather:
    case Action::Scatter:
    case Action::Allgather:
    case Action::Alltoall:
    case Action::Reduce:
    case Action::Allreduce:
    case Action::ReduceScatter:
    case Action::Scan:
    case Action::Exscan:
    case Action::NeighborAllgather:
    case Action::NeighborAlltoall:
    case Action::CommCreate:
    case Action::WinCreate:
      return true;
    default:
      return false;
  }
}

class RankReader {
 public:
  RankReader(History& history, int rank)
      : history_(history),
        rank_(rank),
        definitions_(history.execution.ranks[static_cast<std::size_t>(rank)].definitions) {}

  void read() {
    const auto& events = history_.execution.ranks[static_cast<std::size_t>(rank_)].events;
    for (std::size_t number = 0; number < events.size(); ++number) {
      now_ = {rank_, number};
      event_ = &events[number];
      read_event();
      if (event_->returned && (may_learn(*event_) || event_->call == MpiCall::MPI_Ssend))
        end(std::exchange(freed_, {}), return_timestamp());
    }
  }

 private:
  // The operation of a request. `prepared` has the buffers of a persistent one.
  struct Request {
    const Event* prepared = nullptr;
    std::vector<std::size_t> touches;
    std::optional<std::size_t> sent, received, one_sided;
    Joined* joined = nullptr;
  };
  struct Operation {  // one-sided, pending
    Ref event;
    Uid win;
    int target = 0;
    bool brings_back = false;
    std::vector<std::size_t> local, remote;
    EpochKind epoch{};
    std::size_t opened = 0;  // which start on the window opened it
  };

  Timestamp start_timestamp() const { return start_of(now_).at; }
  Timestamp return_timestamp() const { return event_->returned ? return_of(now_).at : kNever; }
  std::int64_t field(Field which) const { return event_->fields[which]; }
  int rank_field(Field which) const { return static_cast<int>(field(which)); }
  bool flag() const { return !event_->fields.has(Field::flag) || field(Field::flag) != 0; }
  Uid win() const {
    return definitions_.wins.at(WinId(static_cast<std::uint32_t>(field(Field::win)))).uid;
  }
  const CommDefinition& comm(const Event& event) const {
    return definitions_.comms.at(CommId(static_cast<std::uint32_t>(event.fields[Field::comm])));
  }
  const std::vector<WorldRank>& group() const {
    return definitions_.groups.at(GroupId(static_cast<std::uint32_t>(field(Field::group)))).ranks;
  }
  bool asserts(AssertionBits bit) const { return (field(Field::assertion) & bit) != 0; }

  // --- accesses

  std::int64_t data_size(const Buffer& buffer) const {
    return buffer.type == TypeId(0) ? buffer.count
                                    : buffer.count * definitions_.types.at(buffer.type).map.size;
  }

  // Every byte of a buffer that begins at `address`.
  void spell_out(Touch& touch, const Buffer& buffer, std::uint64_t address) const {
    const bool plain = buffer.type == TypeId(0);
    const DataMap map = plain ? contiguous_map(1) : definitions_.types.at(buffer.type).map;
    if (!plain) touch.element = element_of(definitions_.types.at(buffer.type).element);
    const std::uint64_t element = std::max<std::uint64_t>(touch.element.size, 1);
    for (const ByteRange& range : expand(map, buffer.count)) {
      const auto first = address + static_cast<std::uint64_t>(range.begin),
                 last = address + static_cast<std::uint64_t>(range.end);
      for (std::uint64_t at = first; at < last; ++at)
        touch.bytes[at] = first + (at - first) / element * element;
    }
  }

  std::size_t add_touch(Touch touch) {
    touch.event = now_;
    touch.operation = history_.operations;
    touch.begin = start_timestamp();
    history_.touches.push_back(std::move(touch));
    return history_.touches.size() - 1;
  }

  std::vector<std::size_t> touch_local(const Event& event, bool pending) {
    std::vector<std::size_t> made;
    for (const Buffer& buffer : event.buffers) {
      if (is_target(buffer.access)) continue;
      Touch touch{.owner = rank_,
                  .kind = buffer.access == BufferUse::Read ? AccessKind::Load : AccessKind::Store,
                  .pending = pending || in_call_of_a_task(event)};
      spell_out(touch, buffer, buffer.address);
      made.push_back(add_touch(std::move(touch)));
    }
    return made;
  }

  // Other tasks go on while a call is made.
  bool in_call_of_a_task(const Event& event) const {
    const Action action = traits(event.call).action;
    return event_->fields.has(Field::order) && action != Action::Load && action != Action::Store;
  }

  void end(const std::vector<std::size_t>& touches, Timestamp at) {
    for (const std::size_t index : touches) {
      Touch& touch = history_.touches[index];
      if (touch.end == kNever) touch.end = at;
    }
  }

  // --- events

  void read_event() {
    const CallTraits& call = traits(event_->call);
    ++history_.operations;
    if (event_->fields.has(Field::repeated)) return;  // counted unsuccessful calls
    if (is_one_sided(call.action))
      read_one_sided(call);
    else if (call.when == When::Prepares)
      requests_[id()].prepared = event_;
    else if (call.when == When::Starts)
      begin(*event_, requests_[id()]);
    else
      read_other(call);
    read_results();
  }

  RequestId id() const { return RequestId(static_cast<std::uint64_t>(field(Field::request))); }

  // A message or collective begins, and is pending until its request completes.
  void begin(const Event& event, Request& request) {
    request.touches = touch_local(event, true);
    const Action action = traits(event.call).action;
    if (action == Action::Send || action == Action::SendReceive ||
        action == Action::SendReceiveReplace)
      request.sent = add_sent(event);
    if (action == Action::Receive || action == Action::SendReceive ||
        action == Action::SendReceiveReplace)
      request.received = add_received(event);
    if (action == Action::MatchedReceive) request.received = take_probed();
    if (is_call_of_all(action)) request.joined = &join(event);
  }

  void read_other(const CallTraits& call) {
    end(touch_local(*event_, false), return_timestamp());
    switch (call.action) {
      case Action::Send:
      case Action::Receive:
      case Action::SendReceive:
      case Action::SendReceiveReplace:
      case Action::MatchedReceive:
        return read_blocking_message(call.action);
      case Action::Probe:
      case Action::MatchedProbe:
        return read_probe(call.action);
      case Action::Start:
        for (const RequestId request : event_->requests) {
          ++history_.operations;
          begin(*requests_[request].prepared, requests_[request]);
        }
        return;
      case Action::Wait:
      case Action::WaitAny:
      case Action::WaitSome:
      case Action::WaitAll:
        for (const Completion& completion : event_->completions)
          complete(event_->requests[completion.index], &completion);
        return;
      case Action::RequestStatus:
        if (flag()) complete(id(), nullptr);
        return;
      case Action::RequestFree:
        if (const auto freed = requests_.find(event_->requests[0]);
            freed != requests_.end() && !freed->second.one_sided) {
          const Request& request = freed->second;
          if (request.sent || request.received)
            freed_.insert(freed_.end(), request.touches.begin(), request.touches.end());
          else
            end(request.touches, return_timestamp());
        }
        return;
      case Action::Fence:
        return read_fence();
      case Action::WinFree:
        join_counted(*event_, win(), Counted::WinFree).done = done_now();
        return;
      case Action::Post:
        history_.posts[{rank_, win()}].push_back({now_, group(), {}});
        return;
      case Action::StartEpoch:
        history_.starts[{rank_, win()}].push_back({now_, group(), {}});
        return;
      case Action::Complete:
        return read_complete();
      case Action::WaitEpoch:
        if (flag() && event_->returned)
          history_.posts[{rank_, win()}].back().waited = return_of(now_);
        return;
      case Action::Lock:
        locks().push_back({win(), rank_field(Field::target), field(Field::lock) == kExclusiveLock,
                           !asserts(kNoCheck), return_timestamp()});
        return;
      case Action::LockAll:
        locks().push_back({win(), {}, false, !asserts(kNoCheck), return_timestamp()});
        return;
      case Action::Unlock:
        complete_locked(rank_field(Field::target), true);
        return release(rank_field(Field::target));
      case Action::UnlockAll:
        complete_locked({}, true);
        return release({});
      case Action::Flush:
        return complete_locked(rank_field(Field::target), true);
      case Action::FlushAll:
        return complete_locked({}, true);
      case Action::FlushLocal:
        return complete_locked(rank_field(Field::target), false);
      case Action::FlushLocalAll:
        return complete_locked({}, false);
      default:
        if (is_call_of_all(call.action)) join(*event_).done = done_now();
    }
  }

  std::vector<Point> done_now() const {
    return event_->returned ? std::vector<Point>{return_of(now_)} : std::vector<Point>{};
  }

  // --- messages

  std::optional<std::size_t> add_sent(const Event& event) {
    const int to = static_cast<int>(event.fields[Field::to]);
    if (to < 0) return {};
    history_.sent.push_back(
        {now_, comm(event).uid, to, event.fields[Field::send_tag], is_synchronous(event.call), {}});
    return history_.sent.size() - 1;
  }

  std::optional<std::size_t> add_received(const Event& event) {
    if (event.fields[Field::from] == kProcNull.value) return {};
    history_.received.push_back({now_, now_, comm(event).uid, {}, 0, {}});
    return history_.received.size() - 1;
  }

  // The receive of a message that a matched probe has taken.
  std::optional<std::size_t> take_probed() {
    const auto found = messages_.find(field(Field::message));
    if (found == messages_.end()) return {};
    history_.received[found->second].started = now_;
    return found->second;
  }

  void read_blocking_message(Action action) {
    Request request;
    if (action != Action::Receive && action != Action::MatchedReceive)
      request.sent = add_sent(*event_);
    if (action == Action::MatchedReceive)
      request.received = take_probed();
    else if (action != Action::Send)
      request.received = add_received(*event_);
    if (!event_->returned) return;
    if (request.sent) history_.sent[*request.sent].done.push_back(return_of(now_));
    if (request.received)
      got(*request.received, rank_field(Field::matched_from), field(Field::matched_tag));
  }

  void got(std::size_t index, int from, std::int64_t tag) {
    Received& received = history_.received[index];
    received.from = from;
    received.tag = tag;
    received.done.push_back(return_of(now_));
  }

  void read_probe(Action action) {
    if (!flag() || !event_->returned || field(Field::matched_from) < 0) return;
    const int from = rank_field(Field::matched_from);
    const std::int64_t tag = field(Field::matched_tag);
    if (action == Action::Probe) {
      history_.probed.push_back({now_, comm(*event_).uid, from, tag});
      return;
    }
    // A matched probe takes the message: no other receive can match it.
    history_.received.push_back({now_, {}, comm(*event_).uid, from, tag, {return_of(now_)}});
    messages_[field(Field::message)] = history_.received.size() - 1;
  }

  void complete(RequestId id, const Completion* completion) {
    const auto found = requests_.find(id);
    if (found == requests_.end() || !event_->returned) return;
    Request& request = found->second;
    end(request.touches, return_timestamp());
    if (request.sent) history_.sent[*request.sent].done.push_back(return_of(now_));
    if (request.received) {
      Received& received = history_.received[*request.received];
      received.done.push_back(return_of(now_));
      if (completion != nullptr && !completion->cancelled) {
        received.from = completion->from.value;
        received.tag = completion->tag;
      }
    }
    if (request.joined != nullptr) request.joined->done.push_back(return_of(now_));
    if (request.one_sided) finish(operations_[*request.one_sided], false, return_timestamp());
    if (completion != nullptr && request.prepared != nullptr)
      request = {.prepared = request.prepared};
    else if (completion != nullptr)
      requests_.erase(found);
  }

  // --- collectives

  Joined& join_counted(const Event& event, Uid on, Counted counted) {
    const std::size_t before = joined_[{on, counted}]++;
    Joined joined{.event = now_, .action = traits(event.call).action};
    for (const Buffer& buffer : event.buffers) {
      if (data_size(buffer) == 0) continue;
      if (buffer.access != BufferUse::Write) joined.gives = true;
      if (buffer.access != BufferUse::Read) joined.takes = true;
    }
    auto& all = history_.collectives[{on, counted, before}];
    all.reserve(history_.execution.ranks.size());  // requests point to them
    return all.emplace_back(std::move(joined));
  }

  Joined& join(const Event& event) {
    Joined& joined = join_counted(event, comm(event).uid, Counted::OnComm);
    joined.comm = &comm(event);
    joined.root = event.fields.has(Field::root) ? static_cast<int>(event.fields[Field::root])
                                                : kProcNull.value;
    return joined;
  }

  // --- one-sided

  std::vector<LockSpan>& locks() { return history_.locks[static_cast<std::size_t>(rank_)]; }

  bool holds_lock(Uid window, int target) {
    for (const LockSpan& lock : locks())
      if (lock.win == window && lock.released == kNever && (!lock.target || *lock.target == target))
        return true;
    return false;
  }

  void release(std::optional<int> target) {
    for (LockSpan& lock : locks())
      if (lock.win == win() && lock.released == kNever && lock.target == target)
        lock.released = return_timestamp();
  }

  // Access epochs of one window do not overlap. The epoch was opened by a lock, by a start without
  // complete, or else by the last fence.
  OriginEpoch epoch_of(Uid window, int target) {
    if (holds_lock(window, target)) return {EpochKind::Lock, 0};
    const auto& starts = history_.starts[{rank_, window}];
    if (!starts.empty() && !starts.back().completed) {
      std::size_t index = 0;
      for (const Started& start : starts)
        index += std::count(start.group.begin(), start.group.end(), WorldRank(target)) != 0;
      return {EpochKind::Start, index};
    }
    return {EpochKind::Fence, history_.fences[{rank_, window}].size()};
  }

  void read_one_sided(const CallTraits& call) {
    const int target = rank_field(Field::target);
    if (target < 0) return;
    Operation operation{
        .event = now_, .win = win(), .target = target, .brings_back = brings_back(call.action)};
    operation.local = touch_local(*event_, true);
    for (const Buffer& buffer : event_->buffers)
      if (is_target(buffer.access))
        operation.remote.push_back(touch_remote(call.action, buffer, target));
    operation.epoch = epoch_of(win(), target).kind;
    operation.opened = history_.starts[{rank_, win()}].size();
    if (event_->fields.has(Field::atomic)) add_atomic(operation);
    if (event_->fields.has(Field::request)) requests_[id()].one_sided = operations_.size();
    operations_.push_back(std::move(operation));
  }

  std::size_t touch_remote(Action action, const Buffer& buffer, int target) {
    Touch touch{.owner = target, .pending = true, .win = win(), .epoch = epoch_of(win(), target)};
    touch.kind = action == Action::Put   ? AccessKind::Put
                 : action == Action::Get ? AccessKind::Get
                                         : AccessKind::Accumulate;
    if (action == Action::CompareAndSwap)
      touch.op = ReduceOp::CompareAndSwap;
    else if (touch.kind == AccessKind::Accumulate)
      touch.op = reduce_op_of(
          definitions_.ops.at(OpId(static_cast<std::uint32_t>(field(Field::op)))).name);
    const WinDefinition& there = *window_of(history_.execution, target, win());
    const std::uint64_t base = there.flavour == WinFlavour::Dynamic ? 0 : there.base;
    spell_out(touch, buffer, base + buffer.address * static_cast<std::uint64_t>(there.unit));
    return add_touch(std::move(touch));
  }

  // One for each element.
  void add_atomic(const Operation& operation) {
    const Touch& touch = history_.touches[operation.remote[0]];
    for (std::size_t i = 0; i < touch.bytes.size() / touch.element.size; ++i) {
      atomics_[field(Field::atomic) + static_cast<std::int64_t>(i)] = history_.atomics.size();
      const std::int64_t operand = !event_->fields.has(Field::operand) ? 0
                                   : i == 0                            ? field(Field::operand)
                                                                       : event_->numbers.at(i - 1);
      history_.atomics.push_back({.event = now_,
                                  .touch = operation.remote[0],
                                  .element = i,
                                  .op = touch.op,
                                  .fetches = operation.brings_back,
                                  .operand = static_cast<std::uint64_t>(operand),
                                  .compare = event_->fields.has(Field::compare)
                                                 ? static_cast<std::uint64_t>(field(Field::compare))
                                                 : 0});
    }
  }

  // A call that completes atomics has the numbers and the results of fetching ones.
  void read_results() {
    const Action action = traits(event_->call).action;
    if (action == Action::PartitionReady || is_one_sided(action)) return;
    for (std::size_t i = 0; i + 1 < event_->numbers.size(); i += 2) {
      Atomic& atomic = history_.atomics[atomics_.at(event_->numbers[i])];
      atomic.result = static_cast<std::uint64_t>(event_->numbers[i + 1]);
      atomic.known = now_;
    }
  }

  void finish(const Operation& operation, bool remotely, Timestamp at) {
    if (at == kNever) return;
    end(operation.local, at);
    if (remotely || operation.brings_back) end(operation.remote, at);
  }

  // A flush completes what was begun before it, and another task's operation may not have been.
  bool was_begun(const Operation& operation) const {
    const auto& events = history_.execution.ranks[static_cast<std::size_t>(rank_)].events;
    return !history_.knows ||
           task_of_event(events[operation.event.event]) == task_of_event(*event_) ||
           history_.knows(operation.event, now_);
  }

  // A flush or unlock; without a target, of all of them.
  void complete_locked(std::optional<int> target, bool remotely) {
    for (const Operation& operation : operations_)
      if (operation.win == win() && operation.epoch == EpochKind::Lock &&
          (!target || operation.target == *target) && was_begun(operation))
        finish(operation, remotely, return_timestamp());
  }

  void read_fence() {
    const bool no_precede = asserts(kNoPrecede);
    history_.fences[{rank_, win()}].push_back({now_, no_precede});
    Joined& joined = join_counted(*event_, win(), Counted::Fence);
    if (no_precede) return;
    joined.done = done_now();
    for (const Operation& operation : operations_)
      if (operation.win == win() && was_begun(operation))
        finish(operation, true, start_timestamp());
  }

  void read_complete() {
    auto& starts = history_.starts[{rank_, win()}];
    starts.back().completed = now_;
    for (const Operation& operation : operations_)
      if (operation.win == win() && operation.epoch == EpochKind::Start &&
          operation.opened == starts.size())
        finish(operation, false, return_timestamp());
  }

  History& history_;
  const int rank_;
  const Definitions& definitions_;
  Ref now_;
  const Event* event_ = nullptr;
  std::map<RequestId, Request> requests_;
  std::vector<std::size_t> freed_;  // of messages whose requests were freed
  std::vector<Operation> operations_;
  std::map<std::int64_t, std::size_t> messages_, atomics_;
  std::map<std::pair<Uid, Counted>, std::size_t> joined_;
};

// The begin and end of a one-sided operation in timestamps of the owner.
void add_timestamps_of_owner(const History& history, Touch& touch) {
  if (touch.epoch.kind == EpochKind::Fence) {
    const auto fences = history.fences.find({touch.owner, touch.win});
    if (fences == history.fences.end() || touch.epoch.index == 0 ||
        touch.epoch.index > fences->second.size())
      return;
    const Fenced& opened = fences->second[touch.epoch.index - 1];
    touch.begins.push_back(opened.no_precede ? start_of(opened.event) : return_of(opened.event));
    for (std::size_t i = touch.epoch.index; i < fences->second.size(); ++i)
      if (!fences->second[i].no_precede) {
        touch.ends.push_back(start_of(fences->second[i].event));
        return;
      }
  } else if (touch.epoch.kind == EpochKind::Start) {
    const auto posts = history.posts.find({touch.owner, touch.win});
    if (posts == history.posts.end()) return;
    const Posted* post = epoch_with(posts->second, touch.event.rank, touch.epoch.index);
    if (post == nullptr) return;
    touch.begins.push_back(start_of(post->event));
    if (post->waited) touch.ends.push_back(*post->waited);
  }
}

}  // namespace

const WinDefinition* window_of(const Execution& execution, int rank, Uid win) {
  for (const auto& [id, definition] :
       execution.ranks[static_cast<std::size_t>(rank)].definitions.wins)
    if (definition.uid == win) return &definition;
  return nullptr;
}

History::History(const Execution& made_up, Knows known)
    : execution(made_up), knows(std::move(known)) {
  locks.resize(execution.ranks.size());
  for (std::size_t rank = 0; rank < execution.ranks.size(); ++rank)
    RankReader(*this, static_cast<int>(rank)).read();
  for (Touch& touch : touches) {
    touch.begins.push_back({touch.event.rank, touch.begin});
    if (touch.end != kNever) touch.ends.push_back({touch.event.rank, touch.end});
    if (touch.win != Uid{}) add_timestamps_of_owner(*this, touch);
  }
}

}  // namespace photofinish::testing
