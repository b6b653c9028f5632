// Calls of a confirming run that are an access site: the bytes they access, when they are issued,
// and when they are complete.
#include <sys/mman.h>

#include <algorithm>

#include "frontend/mpi/control_step.h"
#include "frontend/mpi/fortran.h"
#include "frontend/mpi/meaning/completion.h"
#include "frontend/mpi/table/mpi_call.h"
#include "runtime/failure.h"

namespace photofinish::mpi {
namespace {

// Creates the same operation as a persistent request; the parameters are the same.
void* replacement_of(Call call) {
  switch (value_of(call)) {
    case value_of(MpiCall::MPI_Isend):
      return reinterpret_cast<void*>(REAL(PMPI_Send_init));
    case value_of(MpiCall::MPI_Issend):
      return reinterpret_cast<void*>(REAL(PMPI_Ssend_init));
    case value_of(MpiCall::MPI_Irecv):
      return reinterpret_cast<void*>(REAL(PMPI_Recv_init));
    default:
      return nullptr;
  }
}

// A standard send that the library may not buffer.
void* synchronous_form(Call call) {
  switch (value_of(call)) {
    case value_of(MpiCall::MPI_Send):
      return reinterpret_cast<void*>(REAL(PMPI_Ssend));
    case value_of(MpiCall::MPI_Isend):
      return reinterpret_cast<void*>(REAL(PMPI_Issend));
    case value_of(MpiCall::MPI_Send_init):
      return reinterpret_cast<void*>(REAL(PMPI_Ssend_init));
    default:
      return nullptr;
  }
}

// Whether a side of this kind accesses such a buffer of a call.
bool is_of_kind(BufferUse use, AccessKind kind) {
  switch (use) {
    case BufferUse::Read:
      return kind == AccessKind::Load;
    case BufferUse::Write:
      return kind == AccessKind::Store;
    case BufferUse::ReadWrite:
      return kind == AccessKind::Load || kind == AccessKind::Store;
    default:
      return in_target(kind);
  }
}

bool is_same_lock(const HeldLock& a, const HeldLock& b) {
  return a.win == b.win && a.target == b.target;
}

}  // namespace

void Control::add_buffers(TableEntry& mine, const Context& c, const ScheduledSide& side) {
  std::int64_t base = 0, unit = 1;
  if (in_target(side.kind)) {
    if (c.win == nullptr || c.target_rank < 0) return;
    mine.owner = static_cast<std::int32_t>(c.event.fields[Field::target]);
    std::lock_guard lock(mutex_);
    const auto window = windows_.find(c.event.fields[Field::win]);
    if (window == windows_.end() ||
        static_cast<std::size_t>(c.target_rank) >= window->second.size())
      return;
    const Peer& peer = window->second[static_cast<std::size_t>(c.target_rank)];
    base = static_cast<std::int64_t>(peer.base);
    unit = peer.unit;
  }
  add_pieces(mine, c.event.buffers, side.kind, base, unit);
  if (traits(c.call).action != Action::Start) return;
  std::lock_guard lock(mutex_);
  for (const RequestId request : c.event.requests)
    if (const auto found = prepared_.find(request); found != prepared_.end())
      add_pieces(mine, found->second, side.kind, 0, 1);
}

void Control::add_pieces(TableEntry& mine, const std::vector<Buffer>& buffers, AccessKind kind,
                         std::int64_t base, std::int64_t unit) const {
  for (const Buffer& buffer : buffers) {
    if (!is_of_kind(buffer.access, kind)) continue;
    const std::int64_t at = base + static_cast<std::int64_t>(buffer.address) * unit;
    if (buffer.type == TypeId(0)) {
      add_piece(mine, {at, buffer.count, {}});
      continue;
    }
    const auto type = known_.types.find(buffer.type);
    if (type == known_.types.end()) continue;
    const DataMap map = repeated(type->second.map, buffer.count);
    for (const Strided& strided : map.footprint)
      add_piece(mine, {strided.offset + at, strided.length, strided.dimensions});
  }
}

void Control::reach_call(Context& c, std::uint32_t sides) {
  const CallTraits& call = traits(c.call);
  count_arrival(sides);
  sides = side_of_rank(schedule_, rank_, sides);
  TableEntry mine = make_entry(sides);
  add_buffers(mine, c, schedule_.sides[sides == 2 ? 1 : 0]);
  const bool stays_pending =
      is_one_sided(call.action) || call.when == When::Starts || call.action == Action::Start;
  Step& step = t_step;
  step.sides = sides;
  step.first_side = sides == 1u << schedule_.first;
  step.turn = reach_site(mine, stays_pending, step.slot);
  if (is_one_sided(call.action) && c.win != nullptr && !may_flush(c) &&
      (step.turn == Turn::First || (step.turn == Turn::Entered && step.first_side)))
    if (const auto second = second_windows_.find(c.event.fields[Field::win]);
        second != second_windows_.end())
      step.second_window = second->second;
  if (step.turn == Turn::Second) wait_for_first();
  if (step.turn != Turn::Proceed) stop_for_debugger();
  if (step.turn != Turn::Entered) return;
  step.entered = true;
  if (!is_deferrable(c) || sides != 1u << (1 - schedule_.first)) return;
  // It goes second, and no other task is there yet: it is deferred until it must be complete.
  with_table([&](RendezvousTable& table) {
    step.turn = turn_at(table, step.slot, rank_.value, mine.task);
    t_meeting = table.number;
    TableEntry* const entry = own_entry(table, step.slot, rank_.value, mine.task);
    if (step.turn != Turn::Entered || entry == nullptr) return;
    entry->state = EntryState::Pending;
    entry->steerable = 1;
    step.deferred = true;
  });
  if (step.turn == Turn::Second) wait_for_first();
}

bool Control::is_deferred() const { return t_step.deferred; }
bool Control::is_complete() const { return t_step.complete; }

MPI_Win Control::window(MPI_Win given) const {
  return t_step.second_window != MPI_WIN_NULL ? t_step.second_window : given;
}

// One-sided operations without a request; sends and receives with one, if the race is about their
// buffer.
bool Control::is_deferrable(const Context& c) const {
  const CallTraits& call = traits(c.call);
  if (is_one_sided(call.action)) return call.when == When::Returns;
  if (t_fortran_requests != nullptr) return false;  // the variable is not MPI's own
  if (call.action == Action::Start)
    return c.event.requests.size() == 1 && prepared_.contains(c.event.requests.front());
  return replacement_of(c.call) != nullptr;
}

void* Control::replacement(Call call) const {
  if (t_step.deferred) return replacement_of(call);
  return schedule_.synchronous ? synchronous_form(call) : nullptr;
}

// A deferred send or receive was made as a persistent request: it is started later.
void Control::defer_request(Context& c) {
  const bool is_start = traits(c.call).action == Action::Start;
  const MPI_Request handle = is_start ? c.requests[0] : c.new_request->handle;
  const RequestId id = is_start
                           ? c.event.requests.front()
                           : RequestId(static_cast<std::uint64_t>(c.event.fields[Field::request]));
  std::lock_guard lock(mutex_);
  if (!is_start) deferred_requests_.insert(id);
  pending_.push_back({.slot = t_step.slot,
                      .requests = {id},
                      .over_locally = true,
                      .later =
                          [handle] {
                            MPI_Request request = handle;
                            return REAL(PMPI_Start)(&request);
                          },
                      .by_request = true,
                      .is_send = traits(c.call).action == Action::Send,
                      .copy = nullptr});
}

// The program's variable is null after completion, as for the request that it asked for.
void Control::free_deferred_requests(Context& c) {
  std::lock_guard lock(mutex_);
  for (const Completion& done : c.event.completions) {
    const RequestId id = c.event.requests[done.index];
    if (deferred_requests_.erase(id) == 0) continue;
    MPI_Request& request = c.requests[done.index];
    if (request != MPI_REQUEST_NULL) REAL(PMPI_Request_free)(&request);
  }
}

// A second window over the same memory, in which an operation of a fence or start epoch can be
// completed at once: an outcome that MPI allows, because the library may complete it at any time in
// the epoch. On all ranks.
void Control::open_second_window(const WinDefinition& definition, MPI_Comm comm) {
  if (definition.flavour == WinFlavour::Dynamic ||
      std::none_of(schedules_.findings.begin(), schedules_.findings.end(),
                   [](const Schedule& finding) { return finding.second_window; }))
    return;
  MPI_Win second = MPI_WIN_NULL;
  if (REAL(PMPI_Win_create)(
          reinterpret_cast<void*>(definition.base), static_cast<MPI_Aint>(definition.size),
          static_cast<int>(definition.unit), MPI_INFO_NULL, comm, &second) != MPI_SUCCESS)
    return;
  REAL(PMPI_Win_lock_all)(MPI_MODE_NOCHECK, second);
  second_windows_[definition.id.value] = second;
}

void Control::close_second_window(const Context& c) {
  const auto found = second_windows_.find(c.event.fields[Field::win]);
  if (found == second_windows_.end()) return;
  REAL(PMPI_Win_unlock_all)(found->second);
  REAL(PMPI_Win_free)(&found->second);
  second_windows_.erase(found);
}

// Only for operations that may be pending at the target after local completion. If the race is
// about the origin buffer, the operation must read it late; a result must be there at local
// completion.
std::shared_ptr<const OriginCopy> Control::copy_origin(const Context& c) const {
  if (returns_result(traits(c.call).action) ||
      !in_target(schedule_.sides[1 - schedule_.first].kind))
    return nullptr;
  for (const Buffer& buffer : c.event.buffers)
    if (const auto type = known_.types.find(buffer.type);
        buffer.access == BufferUse::Read && type != known_.types.end())
      return OriginCopy::of(c.send.address, type->second.map, buffer.count);
  return nullptr;
}

void Control::defer(Context& c, std::shared_ptr<const OriginCopy> copy, std::function<int()> call) {
  Step& step = t_step;
  step.entered = false;
  std::lock_guard lock(mutex_);
  pending_.push_back({.slot = step.slot,
                      .win = c.event.fields[Field::win],
                      .target = c.event.fields[Field::target],
                      .requests = {},
                      .over_locally = !in_target(schedule_.sides[1 - schedule_.first].kind) ||
                                      returns_result(traits(c.call).action),
                      .atomic = is_atomic(traits(c.call).action),
                      .later = std::move(call),
                      .copy = std::move(copy)});
}

bool Control::follows(const Context& c) const {
  if (of_buffers_) return true;
  const Action action = traits(c.call).action;
  return action == Action::WinCreate || action == Action::WinFree || action == Action::WinAttach ||
         action == Action::WinDetach;
}

bool Control::may_flush(const Context& c) const {
  const std::uint64_t win = c.win->definition.uid.value;
  return std::any_of(locks_.begin(), locks_.end(), [&](const HeldLock& lock) {
    return lock.win == win &&
           (lock.target == kAnySource.value ||
            lock.target == static_cast<std::int32_t>(c.event.fields[Field::target]));
  });
}

// True if the operation is complete.
bool Control::complete_early(Context& c) {
  const CallTraits& call = traits(c.call);
  if (t_step.second_window != MPI_WIN_NULL) {
    REAL(PMPI_Win_flush)(c.target_rank, t_step.second_window);
    return true;
  }
  if (is_one_sided(call.action) && may_flush(c)) {
    REAL(PMPI_Win_flush)(c.target_rank, c.win->handle);
    return true;
  }
  const MPI_Request* const requests = c.new_request != nullptr       ? &c.new_request->handle
                                      : call.action == Action::Start ? c.requests
                                                                     : nullptr;
  const int count = c.new_request != nullptr ? 1 : requests != nullptr ? c.request_count : 0;
  const std::uint64_t since = wait_ns();
  // Otherwise the library gets time to complete it by itself; a request, as long as others
  // progress.
  const std::uint64_t limit = (count > 0 ? schedule_.pause_ms : schedule_.unit_ms) * kMs;
  quiet_since_ = now_ns();
  words_[rank_.value].fetch_add(1, std::memory_order_relaxed);
  bool complete = false;
  do {
    int flag = count > 0 ? 1 : 0;
    for (int i = 0; i < count && flag != 0; ++i)
      REAL(PMPI_Request_get_status)(requests[i], &flag, MPI_STATUS_IGNORE);
    complete = flag != 0;
    if (!complete) make_progress();
  } while (!complete && wait_ns() - since < limit && !all_others_wait());
  words_[rank_.value].fetch_add(1, std::memory_order_relaxed);
  if (complete) return true;
  return call.when == When::Blocks;
}

// At the target, or, if `locally`, at the origin.
bool Control::completes(const PendingOperation& operation, const Context& c, bool locally) const {
  const FieldSet& fields = c.event.fields;
  const Action action = traits(c.call).action;
  if (action == Action::Start) return false;
  for (const RequestId id : c.event.requests)
    if (std::find(operation.requests.begin(), operation.requests.end(), id) !=
        operation.requests.end())
      return true;
  if (action == Action::Finalize) return true;
  if (operation.win == 0 || !fields.has(Field::win) || fields[Field::win] != operation.win)
    return false;
  if (action == Action::WinFree) return true;
  using Targets = mpi_meaning::CompletionRule::Targets;
  const auto rule = mpi_meaning::completion_of(
      action, fields.has(Field::assertion) ? fields[Field::assertion] : std::int64_t{0});
  if (!rule) return false;
  if (rule->targets == Targets::One && fields[Field::target] != operation.target) return false;
  // After MPI_Win_complete the origin has no other call that completes the operation.
  return locally || rule->completeness == Completeness::Remote || rule->targets == Targets::Started;
}

// Before what is in operation is complete is the last chance for the other side to come.
void Control::before_completion(Context& c) {
  if (is_settled()) return;
  std::optional<std::uint32_t> slot;
  {
    std::lock_guard lock(mutex_);
    for (const PendingOperation& operation : pending_)
      if (!slot && completes(operation, c, must_issue_locally(operation)) &&
          table_->entries[operation.slot].meetings == 0)
        slot = operation.slot;
  }
  if (slot && wants_to_wait(1)) pause(schedule_.pause_ms, *slot);
}

// A deferred send or receive is started before any call that could depend on it: a send may only be
// passed by the start of a receive, a receive by no call.
bool Control::must_precede(const PendingOperation& operation, const Context& c) const {
  if (!operation.by_request) return false;
  const CallTraits& call = traits(c.call);
  return !operation.is_send || call.action != Action::Receive || call.when != When::Starts;
}

// Issues deferred operations: before they must be complete, before atomics to the same target,
// which MPI orders behind them, and, if one instance is steered, once the other access is complete.
void Control::issue_deferred(const Context& c) {
  std::vector<std::function<int()>> due;
  {
    const bool met = is_settled();
    const bool atomic = is_atomic(traits(c.call).action);
    std::lock_guard lock(mutex_);
    due.reserve(pending_.size());
    for (PendingOperation& operation : pending_) {
      if (!operation.later) continue;
      const FieldSet& fields = c.event.fields;
      const bool overtaken = (atomic && operation.atomic && fields[Field::win] == operation.win &&
                              fields[Field::target] == operation.target) ||
                             must_precede(operation, c);
      if (!met && !overtaken && !completes(operation, c, must_issue_locally(operation))) continue;
      due.push_back(std::exchange(operation.later, nullptr));
      if (!met &&
          !completes(operation, c, operation.over_locally))  // pending, and no longer deferred
        with_table([&](RendezvousTable& table) { table.entries[operation.slot].steerable = 0; });
    }
  }
  if (due.empty()) return;
  // The calls are made, whatever fails in between.
  const auto make = [&] {
    for (const auto& call : due) call();
  };
  try {
    Turn turn = Turn::Entered;
    with_table([&](RendezvousTable& table) {
      turn = turn_of(table, rank_.value, task_number());
      t_meeting = table.number;
    });
    if (turn == Turn::Second) wait_for_first();
  } catch (const std::exception&) {
    make();
    throw;
  }
  make();
}

// Removes the entries of operations that the call has completed.
void Control::retire_completed(const Context& c) {
  std::lock_guard lock(mutex_);
  std::erase_if(pending_, [&](const PendingOperation& operation) {
    if (!completes(operation, c, operation.over_locally)) return false;
    if (!operation.requests.empty() &&
        std::none_of(c.event.completions.begin(), c.event.completions.end(),
                     [&](const Completion& done) {
                       return std::find(operation.requests.begin(), operation.requests.end(),
                                        c.event.requests[done.index]) != operation.requests.end();
                     }))
      return false;
    with_table(
        [&](RendezvousTable& table) { table.entries[operation.slot].state = EntryState::Free; });
    return true;
  });
}

void Control::remember_prepared(const Context& c) {
  if (!c.event.fields.has(Field::request)) return;
  std::lock_guard lock(mutex_);
  prepared_[RequestId(static_cast<std::uint64_t>(c.event.fields[Field::request]))] =
      c.event.buffers;
}

void Control::follow_locks(const Context& c) {
  const FieldSet& fields = c.event.fields;
  const Action action = traits(c.call).action;
  if (action != Action::Lock && action != Action::LockAll && action != Action::Unlock &&
      action != Action::UnlockAll)
    return;
  const bool all = action == Action::LockAll || action == Action::UnlockAll;
  // With MPI_MODE_NOCHECK there is no lock that protects.
  const bool exclusive = action == Action::Lock && fields[Field::lock] == kExclusiveLock &&
                         (fields[Field::assertion] & kNoCheck) == 0;
  const HeldLock lock{c.win->definition.uid.value,
                      all ? kAnySource.value : static_cast<std::int32_t>(fields[Field::target]),
                      exclusive ? 1u : 0u};
  std::lock_guard guard(mutex_);
  if (action == Action::Lock || action == Action::LockAll) return locks_.push_back(lock);
  std::erase_if(locks_, [&](const HeldLock& held) { return is_same_lock(held, lock); });
  // An operation that is pending after the unlock is no longer protected by the lock.
  if (pending_.empty()) return;
  with_table([&](RendezvousTable& table) {
    for (const PendingOperation& operation : pending_) {
      TableEntry& entered = table.entries[operation.slot];
      HeldLock* const end = entered.lock + std::min(entered.locks, kLocks);
      entered.locks = static_cast<std::uint32_t>(
          std::remove_if(entered.lock, end,
                         [&](const HeldLock& held) { return is_same_lock(held, lock); }) -
          entered.lock);
    }
  });
}

// The base address and displacement unit of each rank's part of a window: only the owner knows
// them.
void Control::gather_window(Context& c) {
  if (!c.event.fields.has(Field::new_win)) return;
  const auto definition =
      known_.wins.find(WinId(static_cast<std::uint32_t>(c.event.fields[Field::new_win])));
  if (definition == known_.wins.end() || c.comm == nullptr) return;
  const bool dynamic = definition->second.flavour == WinFlavour::Dynamic;
  const Peer own{definition->second.base, dynamic ? 1 : definition->second.unit};
  std::vector<Peer> all;
  try {
    all.resize(static_cast<std::size_t>(c.comm->local.size()));
  } catch (const std::exception&) {
    join_window(c.comm_handle);
    throw;
  }
  REAL(PMPI_Allgather)(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, c.comm_handle);
  {
    std::lock_guard lock(mutex_);
    windows_[c.event.fields[Field::new_win]] = std::move(all);
  }
  open_second_window(definition->second, c.comm_handle);
}

// Uses mmap: the heap may be exhausted.
void Control::join_window(MPI_Comm comm) noexcept {
  if (const Control* const control = get(); control == nullptr || !control->of_memory_) return;
  int size = 0;
  REAL(PMPI_Comm_size)(comm, &size);
  const std::size_t bytes = sizeof(Peer) * static_cast<std::size_t>(size);
  void* const all =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return;
  const Peer none{0, 1};
  REAL(PMPI_Allgather)(&none, sizeof none, MPI_BYTE, all, sizeof none, MPI_BYTE, comm);
  munmap(all, bytes);
}

}  // namespace photofinish::mpi
