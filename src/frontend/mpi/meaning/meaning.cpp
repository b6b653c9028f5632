#include "frontend/mpi/meaning/meaning.h"

#include <algorithm>

namespace photofinish {
namespace mpi_meaning {
namespace {

constexpr std::int64_t kThreadMultiple = 3;  // the value in both MPIs

}  // namespace

void MpiMeaning::add(const Event& event, const Times& times) {
  effects_.enter(event, times);
  if (!event.returned) {
    effects_.unreturned(event);
    close_freed();
    if (steps_.wanted()) report_unreturned(event);
    return;
  }
  if (!effects_.program(event)) interpret(event);
  if (!freed_.empty() && (may_learn(event) || mode_of(event.call) == SendMode::Synchronous))
    close_freed();
}

void MpiMeaning::interpret(const Event& event) {
  const auto& [name, action, when] = traits(event.call);
  // A failed call has no effect, with two exceptions: some of several requests may be complete, and
  // a truncated message is matched.
  if (event.result != 0 && event.completions.empty() && !event.fields.has(Field::matched_from))
    return;
  switch (action) {
    case Action::Init:
      return effects_.set_many_threads(event.fields.has(Field::thread_level) &&
                                       event.fields[Field::thread_level] >= kThreadMultiple);
    case Action::ReduceLocal:
    case Action::Pack:
    case Action::Unpack:
      return effects_.close_now(effects_.buffers_of(event, false), event.site);
    case Action::MemoryAllocate:
      allocated_[event.fields[Field::address]] = event.fields[Field::size];
      return;
    case Action::MemoryFree:
      if (const auto block = allocated_.extract(event.fields[Field::address]))
        effects_.give_back({block.key(), block.key() + block.mapped()});
      return;
    case Action::Send:
    case Action::Receive:
    case Action::SendReceive:
    case Action::SendReceiveReplace:
    case Action::MatchedReceive:
    case Action::PartitionedSend:
    case Action::PartitionedReceive:
      return point_to_point(event, action, when);
    case Action::Start:
      return start_persistent(event);
    case Action::GeneralRequest:
      if (event.fields.has(Field::request) && event.fields.has(Field::key))
        general_[id_of_request(event)] = static_cast<std::uint64_t>(event.fields[Field::key]);
      return;
    case Action::PartitionReady:
    case Action::PartitionArrived:
      return partition(event, action);
    case Action::Probe:
    case Action::MatchedProbe:
      return matching_.probe(event, action, asks(event));
    case Action::Wait:
    case Action::WaitAny:
    case Action::WaitSome:
    case Action::WaitAll:
    case Action::RequestStatus:
    case Action::RequestFree:
      return completion(event, action);
    case Action::Cancel:
      for (const RequestId id : event.requests)
        if (const auto found = requests_.find(id); found != requests_.end())
          found->second.cancelled = true;
      return;
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
      return collectives_.add(event, action, when);
    case Action::WinCreate:
      if (event.fields.has(Field::new_win)) one_sided_.create(event);
      return collectives_.add(event, action, when);
    case Action::FileRead:
    case Action::FileWrite:
    case Action::FileSplitBegin:
    case Action::FileSplitEnd:
      return file(event, action, when);
    default:
      one_sided_.add(event, action);
  }
}

void MpiMeaning::file(const Event& event, Action action, When when) {
  switch (action) {
    case Action::FileSplitBegin:
      split_files_[event.fields[Field::file]] = effects_.buffers_of(event, true);
      return;
    case Action::FileSplitEnd:
      effects_.close_now(std::move(split_files_[event.fields[Field::file]]), event.site);
      split_files_.erase(event.fields[Field::file]);
      return;
    default:
      if (when == When::Starts)
        effects_.open_all(new_request(effects_, requests_, event).accesses,
                          effects_.buffers_of(event, true));
      else
        effects_.close_now(effects_.buffers_of(event, false), event.site);
      return;
  }
}

// --- for the Timeline

void MpiMeaning::each_pending(const std::function<void(Access&)>& visit) {
  for (auto& [id, request] : requests_) request.accesses.each_access(visit);
  for (auto& [file, accesses] : split_files_)
    for (Access& access : accesses) visit(access);
  for (Freed& freed : freed_)
    freed.accesses.each_access([&](Access& access) {
      access.closed = freed.by;
      visit(access);
    });
}

std::size_t MpiMeaning::memory_bytes() const {
  return requests_.size() * (sizeof(Request) + sizeof(Posted) + 80);
}

// --- messages

Meaning::Concern MpiMeaning::concern(const Event& event) const {
  switch (traits(event.call).action) {
    case Action::Load:
    case Action::Store:
    case Action::Put:
    case Action::Get:
    case Action::Accumulate:
    case Action::GetAccumulate:
    case Action::FetchAndOp:
    case Action::CompareAndSwap:
    case Action::WinSync:
    case Action::FileRead:
    case Action::FileWrite:
    case Action::TaskRelease:
    case Action::TaskAcquire:
      return Concern::Nothing;
    case Action::Lock:
    case Action::LockAll:
    case Action::Unlock:
    case Action::UnlockAll:
    case Action::Flush:
    case Action::FlushAll:
    case Action::FlushLocal:
    case Action::FlushLocalAll:
      return Concern::Locks;
    default:
      return Concern::Messages;
  }
}

Meaning::Ending MpiMeaning::ending(const Event& event) const {
  switch (traits(event.call).action) {
    case Action::Finalize:
      return Ending::Yes;
    case Action::SessionFinalize:
      return Ending::Maybe;
    default:
      return Ending::No;
  }
}

void MpiMeaning::note(const Event& event) {
  const Action action = traits(event.call).action;
  const bool is_message = action == Action::Send || action == Action::Receive;
  if (!is_message)
    timing_.add(effects_.rank(), event, [&] { return effects_.site_key(event.site); });
  if (is_message || (concern(event) == Concern::Messages && action != Action::Init)) {
    if (task_ == TaskId()) task_ = event.task;
    threads_ |= task_ != event.task;
  }
}

void MpiMeaning::add_notes(MessageFindings& findings) const {
  for (TimingDependence& timing : timing_.all()) findings.timing.push_back(std::move(timing));
  findings.threads |= threads_;
}

void MpiMeaning::end_messages() {
  for (const auto& [id, request] : requests_)
    if (request.receive != nullptr) steps_.taken(*request.comm, *request.receive);
  one_sided_.end_messages();
}

}  // namespace mpi_meaning

std::unique_ptr<Meaning> mpi_meaning_of(Timeline& effects) {
  return std::make_unique<mpi_meaning::MpiMeaning>(effects);
}

}  // namespace photofinish
