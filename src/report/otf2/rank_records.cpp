#include "report/otf2/rank_records.h"

#include <algorithm>

namespace photofinish {
namespace {

std::optional<OTF2_CollectiveOp> collective_of(Call call) {
  const std::string_view name = traits(call).name;
  const bool each_its_own =
      name.find("v_init") != name.npos || name.ends_with("v") || name.ends_with("v_c");
  switch (traits(call).action) {
    case Action::Barrier:
      return OTF2_COLLECTIVE_OP_BARRIER;
    case Action::Bcast:
      return OTF2_COLLECTIVE_OP_BCAST;
    case Action::Gather:
      return each_its_own ? OTF2_COLLECTIVE_OP_GATHERV : OTF2_COLLECTIVE_OP_GATHER;
    case Action::Scatter:
      return each_its_own ? OTF2_COLLECTIVE_OP_SCATTERV : OTF2_COLLECTIVE_OP_SCATTER;
    case Action::Allgather:
      return each_its_own ? OTF2_COLLECTIVE_OP_ALLGATHERV : OTF2_COLLECTIVE_OP_ALLGATHER;
    case Action::Alltoall:
      if (name.find("alltoallw") != name.npos) return OTF2_COLLECTIVE_OP_ALLTOALLW;
      return each_its_own ? OTF2_COLLECTIVE_OP_ALLTOALLV : OTF2_COLLECTIVE_OP_ALLTOALL;
    case Action::Reduce:
      return OTF2_COLLECTIVE_OP_REDUCE;
    case Action::Allreduce:
      return OTF2_COLLECTIVE_OP_ALLREDUCE;
    case Action::ReduceScatter:
      return name.find("block") != name.npos ? OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK
                                             : OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
    case Action::Scan:
      return OTF2_COLLECTIVE_OP_SCAN;
    case Action::Exscan:
      return OTF2_COLLECTIVE_OP_EXSCAN;
    case Action::CommCreate:
      return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
    default:
      return std::nullopt;
  }
}

bool is_send(Action action) {
  return action == Action::Send || action == Action::SendReceive ||
         action == Action::SendReceiveReplace;
}
bool is_receive(Action action) {
  return action == Action::Receive || action == Action::MatchedReceive ||
         action == Action::SendReceive || action == Action::SendReceiveReplace;
}
bool is_one_sided(Action action) {
  return action >= Action::Put && action <= Action::CompareAndSwap;
}
bool is_own_region(Action action) {
  return action == Action::RegionBegin || action == Action::RegionEnd;
}
bool is_access(Action action) { return action >= Action::Load; }

constexpr OTF2_RmaSyncLevel kAll = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;

}  // namespace

Otf2RankRecords::Task& Otf2RankRecords::task(TaskId id) {
  Task& task = tasks_[id];
  if (task.writer == nullptr) task.writer = archive_.task(rank_, id);
  return task;
}

// A rank of an intercommunicator communicates with the remote group.
const Otf2RankRecords::Comm* Otf2RankRecords::comm(CommId id) {
  const auto [found, is_new] = comms_.try_emplace(id);
  Comm& comm = found->second;
  if (!is_new) return comm.ref != OTF2_UNDEFINED_COMM ? &comm : nullptr;
  const auto definition = definitions_.comms.find(id);
  if (definition == definitions_.comms.end()) return nullptr;
  const auto ranks_of = [&](GroupId group) {
    const auto at = definitions_.groups.find(group);
    return at != definitions_.groups.end() ? at->second.ranks : std::vector<WorldRank>{};
  };
  const std::vector<WorldRank> ranks = ranks_of(definition->second.group),
                               remote = ranks_of(definition->second.remote_group);
  if (ranks.empty()) return nullptr;
  comm.ref = archive_.comm(definition->second.uid, definition->second.name, ranks, remote);
  const std::vector<WorldRank>& others = remote.empty() ? ranks : remote;
  for (std::size_t i = 0; i < others.size(); ++i)
    comm.rank_of[others[i]] = static_cast<std::uint32_t>(i);
  return &comm;
}

Otf2RankRecords::Window* Otf2RankRecords::window(const Event& event, Field field) {
  if (!event.fields.has(field)) return nullptr;
  const WinId id(static_cast<std::uint32_t>(event.fields[field]));
  const auto [found, is_new] = windows_.try_emplace(id);
  Window& window = found->second;
  if (!is_new) return window.comm != nullptr ? &window : nullptr;
  const auto definition = definitions_.wins.find(id);
  if (definition == definitions_.wins.end()) return nullptr;
  window.comm = comm(definition->second.comm);
  if (window.comm == nullptr) return nullptr;
  window.ref = archive_.window(definition->second.uid, definition->second.name, window.comm->ref);
  for (const auto& [world, own] : window.comm->rank_of) window.members.push_back(own);
  std::sort(window.members.begin(), window.members.end());
  return &window;
}

std::optional<std::uint32_t> Otf2RankRecords::rank_in(const Comm* comm, WorldRank world) const {
  if (comm == nullptr || world.value < 0) return std::nullopt;
  const auto found = comm->rank_of.find(world);
  return found != comm->rank_of.end() ? std::optional(found->second) : std::nullopt;
}

// The size of the program's buffers that the call reads, or writes.
std::uint64_t Otf2RankRecords::bytes(const Event& event, bool written) const {
  std::uint64_t sum = 0;
  for (const Buffer& buffer : event.buffers) {
    const bool wanted = buffer.access == BufferUse::ReadWrite ||
                        buffer.access == (written ? BufferUse::Write : BufferUse::Read);
    const auto type = definitions_.types.find(buffer.type);
    const std::int64_t size = buffer.type == TypeId()            ? 1
                              : type != definitions_.types.end() ? type->second.map.size
                                                                 : 0;
    if (wanted && buffer.count > 0)
      sum += static_cast<std::uint64_t>(buffer.count) *
             static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0));
  }
  return sum;
}

std::optional<std::uint32_t> Otf2RankRecords::root_of(const Event& event, const Comm* comm) const {
  if (!event.fields.has(Field::root)) return OTF2_COLLECTIVE_ROOT_NONE;
  if (event.fields.rank(Field::root) == kRootHere) return OTF2_COLLECTIVE_ROOT_SELF;
  return rank_in(comm, event.fields.rank(Field::root)).value_or(OTF2_COLLECTIVE_ROOT_NONE);
}

// --- one call

std::uint64_t Otf2RankRecords::add(const Event& event) {
  const Action action = traits(event.call).action;
  Task& mine = task(event.task);
  const std::uint64_t entered = std::max(mine.last, time_.of(event.start)),
                      left = std::max(entered, time_.of(event.start + event.duration));
  if (is_access(action)) {
    if (is_own_region(action)) {
      mine.last = entered;
      own_region(event, mine);
    }
    return entered;
  }
  const OTF2_RegionRef region = archive_.region(event.call);
  archive_.expect(OTF2_EvtWriter_Enter(mine.writer, nullptr, entered, region));
  begin_call(event, mine, entered);
  if (event.returned) end_call(event, mine, left);
  archive_.expect(OTF2_EvtWriter_Leave(mine.writer, nullptr, left, region));
  mine.last = left;
  latest_ = std::max(latest_, left);
  return entered;
}

std::uint64_t Otf2RankRecords::end() {
  for (auto& [id, task] : tasks_) {
    for (; !task.open.empty(); task.open.pop_back())
      archive_.expect(OTF2_EvtWriter_Leave(task.writer, nullptr, task.last, task.open.back()));
  }
  return latest_;
}

// Regions must be properly nested; others are dropped.
void Otf2RankRecords::own_region(const Event& event, Task& task) {
  if (traits(event.call).action == Action::RegionEnd) {
    if (task.open.empty()) return;
    archive_.expect(OTF2_EvtWriter_Leave(task.writer, nullptr, task.last, task.open.back()));
    task.open.pop_back();
    return;
  }
  const auto text = definitions_.texts.find(TextId(
      static_cast<std::uint32_t>(event.fields.has(Field::text) ? event.fields[Field::text] : 0)));
  task.open.push_back(archive_.region(text != definitions_.texts.end() ? text->second.text
                                                                       : std::string("region")));
  archive_.expect(OTF2_EvtWriter_Enter(task.writer, nullptr, task.last, task.open.back()));
}

void Otf2RankRecords::begin_call(const Event& event, Task& task, std::uint64_t time) {
  const auto& [name, action, when] = traits(event.call);
  const bool at_once = when == When::Blocks || when == When::Returns || when == When::Consumes;
  if (at_once && is_send(action)) send(event, task, time);
  if (at_once && collective_of(event.call))
    archive_.expect(OTF2_EvtWriter_MpiCollectiveBegin(task.writer, nullptr, time));
  if (action == Action::Fence || action == Action::WinCreate || action == Action::WinFree)
    archive_.expect(OTF2_EvtWriter_RmaCollectiveBegin(task.writer, nullptr, time));
  if (is_one_sided(action) && when != When::Starts)
    if (Window* const win = window(event)) one_sided(event, *win, task, time, nullptr);
}

void Otf2RankRecords::end_call(const Event& event, Task& task, std::uint64_t time) {
  const auto& [name, action, when] = traits(event.call);
  const Comm* talks = event.fields.has(Field::comm)
                          ? comm(CommId(static_cast<std::uint32_t>(event.fields[Field::comm])))
                          : nullptr;
  if (event.fields.has(Field::message)) {
    const MessageId message(static_cast<std::uint64_t>(event.fields[Field::message]));
    if (action == Action::MatchedProbe && event.fields.has(Field::comm))
      probed_[message] = CommId(static_cast<std::uint32_t>(event.fields[Field::comm]));
    if (const auto probe = probed_.find(message);
        action == Action::MatchedReceive && probe != probed_.end()) {
      talks = comm(probe->second);
      probed_.erase(probe);
    }
  }
  if ((when == When::Starts || when == When::Prepares) && event.fields.has(Field::request)) {
    Request request = request_of(event, action);
    if (request.comm == nullptr) request.comm = talks;
    request.persistent = when == When::Prepares;
    if (is_one_sided(action)) {
      if (Window* const win = window(event)) one_sided(event, *win, task, time, &request);
    } else if (!request.persistent) {
      start(request, task, time);
    }
    requests_[RequestId(static_cast<std::uint64_t>(event.fields[Field::request]))] = request;
    return;
  }
  if (action == Action::Start) {
    for (const RequestId id : event.requests)
      if (const auto found = requests_.find(id); found != requests_.end())
        start(found->second, task, time);
    return;
  }
  if (!event.completions.empty() || action == Action::RequestFree) complete(event, task, time);
  if (is_receive(action)) receive(event, talks, task, time);
  if (const auto collective = collective_of(event.call))
    archive_.expect(
        OTF2_EvtWriter_MpiCollectiveEnd(task.writer, nullptr, time, *collective,
                                        talks != nullptr ? talks->ref : OTF2_UNDEFINED_COMM,
                                        root_of(event, talks).value_or(OTF2_COLLECTIVE_ROOT_NONE),
                                        bytes(event, false), bytes(event, true)));
  if (Window* const win =
          window(event, event.fields.has(Field::new_win) ? Field::new_win : Field::win))
    synchronize(event, *win, task, time);
}

// --- messages

void Otf2RankRecords::send(const Event& event, Task& task, std::uint64_t time) {
  const Comm* const talks = comm(CommId(static_cast<std::uint32_t>(event.fields[Field::comm])));
  const auto to = rank_in(talks, event.fields.rank(Field::to));
  if (to)
    archive_.expect(OTF2_EvtWriter_MpiSend(
        task.writer, nullptr, time, *to, talks->ref,
        static_cast<std::uint32_t>(event.fields[Field::send_tag]), bytes(event, false)));
}

void Otf2RankRecords::receive(const Event& event, const Comm* talks, Task& task,
                              std::uint64_t time) {
  if (!event.fields.has(Field::matched_from)) return;
  const auto from = rank_in(talks, event.fields.rank(Field::matched_from));
  const std::uint64_t length = event.fields.has(Field::matched_bytes)
                                   ? static_cast<std::uint64_t>(std::max<std::int64_t>(
                                         event.fields[Field::matched_bytes], 0))
                                   : bytes(event, true);
  if (from)
    archive_.expect(OTF2_EvtWriter_MpiRecv(
        task.writer, nullptr, time, *from, talks->ref,
        static_cast<std::uint32_t>(event.fields[Field::matched_tag]), length));
}

Otf2RankRecords::Request Otf2RankRecords::request_of(const Event& event, Action action) {
  Request request;
  request.sent = bytes(event, false);
  request.received = bytes(event, true);
  if (event.fields.has(Field::comm))
    request.comm = comm(CommId(static_cast<std::uint32_t>(event.fields[Field::comm])));
  request.to = event.fields.rank(Field::to);
  if (event.fields.has(Field::send_tag)) request.send_tag = event.fields[Field::send_tag];
  request.collective = collective_of(event.call);
  if (request.collective) {
    request.kind = Request::Kind::Collective;
    request.root = root_of(event, request.comm).value_or(OTF2_COLLECTIVE_ROOT_NONE);
  } else if (is_send(action)) {
    request.kind = is_receive(action) ? Request::Kind::Both : Request::Kind::Send;
  } else if (is_receive(action)) {
    request.kind = Request::Kind::Receive;
  }
  return request;
}

// A send-receive has one request, and its completion is written as that of a receive.
void Otf2RankRecords::start(Request& request, Task& task, std::uint64_t time) {
  if (request.kind == Request::Kind::Other || request.kind == Request::Kind::OneSided) return;
  request.number = ++numbers_;
  if (const auto to = rank_in(request.comm, request.to); to && request.kind == Request::Kind::Send)
    archive_.expect(OTF2_EvtWriter_MpiIsend(task.writer, nullptr, time, *to, request.comm->ref,
                                            static_cast<std::uint32_t>(request.send_tag),
                                            request.sent, request.number));
  else if (to && request.kind == Request::Kind::Both)
    archive_.expect(OTF2_EvtWriter_MpiSend(task.writer, nullptr, time, *to, request.comm->ref,
                                           static_cast<std::uint32_t>(request.send_tag),
                                           request.sent));
  else if (request.kind == Request::Kind::Send)
    request.number = 0;  // no peer
  if (request.kind == Request::Kind::Receive || request.kind == Request::Kind::Both)
    archive_.expect(OTF2_EvtWriter_MpiIrecvRequest(task.writer, nullptr, time, request.number));
  if (request.kind == Request::Kind::Collective)
    archive_.expect(
        OTF2_EvtWriter_NonBlockingCollectiveRequest(task.writer, nullptr, time, request.number));
}

void Otf2RankRecords::complete(const Event& event, Task& task, std::uint64_t time) {
  const auto over = [&](RequestId id, const Completion* reported) {
    const auto found = requests_.find(id);
    if (found == requests_.end()) return;
    Request& request = found->second;
    if (request.number != 0) {
      const auto from = reported != nullptr ? rank_in(request.comm, reported->from) : std::nullopt;
      if (reported != nullptr && reported->cancelled)
        archive_.expect(
            OTF2_EvtWriter_MpiRequestCancelled(task.writer, nullptr, time, request.number));
      else if (request.kind == Request::Kind::Send)
        archive_.expect(
            OTF2_EvtWriter_MpiIsendComplete(task.writer, nullptr, time, request.number));
      else if (request.kind == Request::Kind::Collective && reported != nullptr)
        archive_.expect(OTF2_EvtWriter_NonBlockingCollectiveComplete(
            task.writer, nullptr, time, *request.collective,
            request.comm != nullptr ? request.comm->ref : OTF2_UNDEFINED_COMM, request.root,
            request.sent, request.received, request.number));
      else if (request.kind == Request::Kind::OneSided && reported != nullptr)
        archive_.expect(OTF2_EvtWriter_RmaOpCompleteNonBlocking(task.writer, nullptr, time,
                                                                request.win, request.number));
      else if (from)
        archive_.expect(OTF2_EvtWriter_MpiIrecv(
            task.writer, nullptr, time, *from, request.comm->ref,
            static_cast<std::uint32_t>(reported->tag),
            static_cast<std::uint64_t>(std::max<std::int64_t>(reported->bytes, 0)),
            request.number));
    }
    request.number = 0;
    if (!request.persistent || reported == nullptr) requests_.erase(found);
  };
  for (const Completion& reported : event.completions)
    if (reported.index < event.requests.size()) over(event.requests[reported.index], &reported);
  if (traits(event.call).action == Action::RequestFree)
    for (const RequestId id : event.requests) over(id, nullptr);
}

// --- one-sided

void Otf2RankRecords::one_sided(const Event& event, Window& window, Task& task, std::uint64_t time,
                                Request* request) {
  const auto target = rank_in(window.comm, event.fields.rank(Field::target));
  if (!target) return;
  const auto [under_way, is_new] = window.under_way.try_emplace(*target);
  if (is_new) under_way->second = ++numbers_;
  // A request has its own local completion; the flush or unlock then completes the operation at the
  // target.
  const std::uint64_t number = under_way->second, sent = bytes(event, false),
                      received = bytes(event, true);
  if (request != nullptr) {
    request->kind = Request::Kind::OneSided;
    request->number = number;
    request->win = window.ref;
  }
  const auto atomic = [&](OTF2_RmaAtomicType type) {
    archive_.expect(OTF2_EvtWriter_RmaAtomic(task.writer, nullptr, time, window.ref, *target, type,
                                             sent, received, number));
  };
  switch (traits(event.call).action) {
    case Action::Put:
      archive_.expect(
          OTF2_EvtWriter_RmaPut(task.writer, nullptr, time, window.ref, *target, sent, number));
      break;
    case Action::Get:
      archive_.expect(
          OTF2_EvtWriter_RmaGet(task.writer, nullptr, time, window.ref, *target, received, number));
      break;
    case Action::Accumulate:
      atomic(OTF2_RMA_ATOMIC_TYPE_ACCUMULATE);
      break;
    case Action::CompareAndSwap:
      atomic(OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP);
      break;
    default:
      atomic(OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE);
  }
}

// All operations to `target`, or to any rank, are complete: locally, or at the target as well.
void Otf2RankRecords::all_over(Window& window, Task& task, std::uint64_t time,
                               std::optional<std::uint32_t> target, bool remotely) {
  for (auto at = window.under_way.begin(); at != window.under_way.end();) {
    if (target && at->first != *target) {
      ++at;
      continue;
    }
    archive_.expect(remotely ? OTF2_EvtWriter_RmaOpCompleteRemote(task.writer, nullptr, time,
                                                                  window.ref, at->second)
                             : OTF2_EvtWriter_RmaOpCompleteNonBlocking(task.writer, nullptr, time,
                                                                       window.ref, at->second));
    at = remotely ? window.under_way.erase(at) : std::next(at);
  }
}

void Otf2RankRecords::synchronize(const Event& event, Window& window, Task& task,
                                  std::uint64_t time) {
  const auto target = event.fields.has(Field::target)
                          ? rank_in(window.comm, event.fields.rank(Field::target))
                          : std::nullopt;
  const auto collective = [&](OTF2_CollectiveOp op, OTF2_RmaSyncLevel level) {
    archive_.expect(OTF2_EvtWriter_RmaCollectiveEnd(task.writer, nullptr, time, op, level,
                                                    window.ref, OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
  };
  const auto group_of = [&]() {
    const auto group = definitions_.groups.find(GroupId(static_cast<std::uint32_t>(
        event.fields.has(Field::group) ? event.fields[Field::group] : 0)));
    return group != definitions_.groups.end() ? archive_.group(group->second.ranks)
                                              : OTF2_UNDEFINED_GROUP;
  };
  const auto with_group = [&](OTF2_RmaSyncLevel level, OTF2_GroupRef group) {
    if (group != OTF2_UNDEFINED_GROUP)
      archive_.expect(
          OTF2_EvtWriter_RmaGroupSync(task.writer, nullptr, time, level, window.ref, group));
  };
  const auto lock = [&](std::uint32_t rank, OTF2_LockType type) {
    archive_.expect(
        OTF2_EvtWriter_RmaAcquireLock(task.writer, nullptr, time, window.ref, rank, 0, type));
  };
  const auto unlock = [&](std::uint32_t rank) {
    archive_.expect(OTF2_EvtWriter_RmaReleaseLock(task.writer, nullptr, time, window.ref, rank, 0));
  };
  switch (traits(event.call).action) {
    case Action::WinCreate:
      archive_.expect(OTF2_EvtWriter_RmaWinCreate(task.writer, nullptr, time, window.ref));
      collective(OTF2_COLLECTIVE_OP_CREATE_HANDLE, OTF2_RMA_SYNC_LEVEL_PROCESS);
      break;
    case Action::WinFree:
      all_over(window, task, time, std::nullopt, true);
      archive_.expect(OTF2_EvtWriter_RmaWinDestroy(task.writer, nullptr, time, window.ref));
      collective(OTF2_COLLECTIVE_OP_DESTROY_HANDLE, OTF2_RMA_SYNC_LEVEL_PROCESS);
      break;
    case Action::Fence:
      all_over(window, task, time, std::nullopt, true);
      collective(OTF2_COLLECTIVE_OP_BARRIER, kAll);
      break;
    case Action::Post:
      with_group(OTF2_RMA_SYNC_LEVEL_PROCESS, window.posted = group_of());
      break;
    case Action::StartEpoch:
      with_group(OTF2_RMA_SYNC_LEVEL_PROCESS, window.started = group_of());
      break;
    case Action::Complete:
      all_over(window, task, time, std::nullopt, true);
      with_group(kAll, std::exchange(window.started, OTF2_UNDEFINED_GROUP));
      break;
    case Action::WaitEpoch:
      if (event.fields.has(Field::flag) && event.fields[Field::flag] == 0) break;
      with_group(kAll, std::exchange(window.posted, OTF2_UNDEFINED_GROUP));
      break;
    case Action::Lock:
      if (target)
        lock(*target,
             event.fields[Field::lock] == kExclusiveLock ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED);
      break;
    case Action::LockAll:
      for (const std::uint32_t rank : window.members) lock(rank, OTF2_LOCK_SHARED);
      break;
    case Action::Unlock:
      all_over(window, task, time, target, true);
      if (target) unlock(*target);
      break;
    case Action::UnlockAll:
      all_over(window, task, time, std::nullopt, true);
      for (const std::uint32_t rank : window.members) unlock(rank);
      break;
    case Action::Flush:
      if (target) all_over(window, task, time, target, true);
      break;
    case Action::FlushAll:
      all_over(window, task, time, std::nullopt, true);
      break;
    case Action::FlushLocal:
      if (target) all_over(window, task, time, target, false);
      break;
    case Action::FlushLocalAll:
      all_over(window, task, time, std::nullopt, false);
      break;
    case Action::WinSync:
      archive_.expect(OTF2_EvtWriter_RmaSync(task.writer, nullptr, time, window.ref, 0,
                                             OTF2_RMA_SYNC_TYPE_MEMORY));
      break;
    default:
      break;
  }
}

}  // namespace photofinish
