// MPI calls of a confirming run that are an access site: the bytes they access, how they are
// deferred or completed early, and when they are complete.
#include <sys/mman.h>

#include <algorithm>

#include "frontend/mpi/control.h"
#include "frontend/mpi/fortran.h"
#include "frontend/mpi/meaning/completion.h"
#include "frontend/mpi/status.h"
#include "frontend/mpi/table/mpi_call.h"
#include "runtime/failure.h"
#include "steering/step.h"

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

}  // namespace

// Memory of another rank in a shared window.
std::optional<Steering::Place> Control::find_place(std::int64_t address) const {
  for (const auto& [id, window] : known_.wins)
    for (const WinSegment& segment : window.segments) {
      const auto begin = static_cast<std::int64_t>(segment.address);
      if (address < begin || address >= begin + static_cast<std::int64_t>(segment.size)) continue;
      const auto peers = windows_.find(id.value);
      const auto comm = known_.comms.find(window.comm);
      if (peers == windows_.end() || comm == known_.comms.end()) continue;
      const auto group = known_.groups.find(comm->second.group);
      if (group == known_.groups.end()) continue;
      const auto& ranks = group->second.ranks;
      const auto owner = std::find(ranks.begin(), ranks.end(), segment.owner);
      if (owner == ranks.end()) continue;
      const Peer& peer = peers->second[static_cast<std::size_t>(owner - ranks.begin())];
      return Steering::Place{segment.owner, static_cast<std::int64_t>(peer.base) + address - begin};
    }
  return std::nullopt;
}

void Control::add_buffers(TableEntry& mine, const Context& c) {
  const AccessKind kind = steering_.side_of(mine).kind;
  std::int64_t base = 0, unit = 1;
  if (in_target(kind)) {
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
  steering_.add_buffers(mine, c.event.buffers, kind, base, unit);
  if (traits(c.call).action != Action::Start) return;
  std::lock_guard lock(mutex_);
  for (const RequestId request : c.event.requests)
    if (const auto found = prepared_.find(request); found != prepared_.end())
      steering_.add_buffers(mine, found->second, kind, 0, 1);
}

void Control::reach_call(Context& c, std::uint32_t sides) {
  const CallTraits& call = traits(c.call);
  TableEntry mine = steering_.make_access(sides);
  add_buffers(mine, c);
  steering_.reach(mine, {.stays_pending = is_one_sided(call.action) || call.when == When::Starts ||
                                          call.action == Action::Start,
                         .is_deferrable = is_deferrable(c)});
  if (!is_one_sided(call.action) || c.win == nullptr || may_flush(c) || !steering_.goes_first())
    return;
  if (const auto second = second_windows_.find(c.event.fields[Field::win]);
      second != second_windows_.end())
    t_control.second_window = second->second;
}

MPI_Win Control::window(MPI_Win given) const {
  return t_control.second_window != MPI_WIN_NULL ? t_control.second_window : given;
}

// One-sided operations without a request; sends and receives with one, if the race is about their
// buffer.
bool Control::is_deferrable(const Context& c) const {
  const CallTraits& call = traits(c.call);
  if (is_one_sided(call.action)) return call.when == When::Returns;
  if (call.action == Action::Receive && call.when == When::Starts)
    for (const Buffer& buffer : c.event.buffers)
      if (const auto type = known_.types.find(buffer.type);
          type != known_.types.end() && OriginCopy::fits(type->second.map, buffer.count))
        return true;
  if (t_fortran_requests != nullptr) return false;  // the variable is not MPI's own
  if (call.action == Action::Start)
    return c.event.requests.size() == 1 && prepared_.contains(c.event.requests.front());
  return replacement_of(c.call) != nullptr;
}

void* Control::replacement(Call call) const {
  if (steering_.is_deferred() && t_control.copy == nullptr) return replacement_of(call);
  return schedule_.synchronous ? synchronous_form(call) : nullptr;
}

// A deferred send or receive was made as a persistent request: it is started later.
void Control::defer_request(Context& c) {
  const bool is_start = traits(c.call).action == Action::Start;
  const MPI_Request handle = is_start ? c.requests[0] : c.new_request->handle;
  const RequestId id = is_start
                           ? c.event.requests.front()
                           : RequestId(static_cast<std::uint64_t>(c.event.fields[Field::request]));
  auto scope = std::make_shared<Extent>();
  scope->requests = {id};
  if (!is_start && t_control.copy == nullptr) {
    std::lock_guard lock(mutex_);
    deferred_requests_[id] = scope;
  }
  if (t_control.copy != nullptr) {
    steering_.defer({.over_locally = true,
                     .later =
                         [this, id] {
                           std::lock_guard lock(mutex_);
                           if (const auto copied = copies_.find(id); copied != copies_.end())
                             copied->second.released = true;
                         },
                     .scope = std::move(scope),
                     .lets_calls_pass = true});
    return;
  }
  scope->by_request = true;
  scope->is_send = traits(c.call).action == Action::Send;
  steering_.defer({.over_locally = true,
                   .later =
                       [this, handle, scope] {
                         MPI_Request request = handle;
                         std::lock_guard lock(mutex_);
                         REAL(PMPI_Start)(&request);
                         scope->started = true;
                         if (scope->freed) REAL(PMPI_Request_free)(&request);
                       },
                   .scope = scope});
}

// A send that goes first is complete as far as its buffer is concerned: it sends a copy. A receive
// that goes second is started at its call, so that its rank may make any further call, and receives
// into a copy: MPI may write the data to the buffer at any time until the request is complete.
void Control::copy_buffer(const Context& c) {
  const CallTraits& call = traits(c.call);
  if (call.when != When::Starts) return;
  const bool receives = call.action == Action::Receive && steering_.is_deferred();
  if (!receives && !(call.action == Action::Send && steering_.goes_first())) return;
  const void* const address = receives ? c.recv.address : c.send.address;
  for (const Buffer& buffer : c.event.buffers) {
    const auto type = known_.types.find(buffer.type);
    if (type == known_.types.end()) continue;
    auto copy = OriginCopy::of(address, type->second.map, buffer.count);
    if (copy == nullptr) return;
    t_control.copy = copy->origin();
    std::lock_guard lock(mutex_);
    new_copies_[task_number()] = {.copy = std::move(copy),
                                  .receives = receives ? const_cast<void*>(address) : nullptr,
                                  .map = type->second.map,
                                  .count = buffer.count};
    return;
  }
}

void* Control::buffer(const void* given) const {
  return const_cast<void*>(t_control.copy != nullptr ? t_control.copy : given);
}

void Control::keep_copy(const Context& c) {
  std::lock_guard lock(mutex_);
  auto made = new_copies_.extract(task_number());
  if (made.empty() || c.new_request == nullptr) return;
  made.mapped().handle = c.new_request->handle;
  const RequestId id(static_cast<std::uint64_t>(c.event.fields[Field::request]));
  copies_[id] = std::move(made.mapped());
  if (may_poll_) pollable_.insert(id);
}

void Control::deliver(RequestId request, std::int64_t bytes, bool cancelled) {
  std::lock_guard lock(mutex_);
  const auto found = copies_.find(request);
  if (found == copies_.end()) return;
  const Copied& copied = found->second;
  if (copied.receives != nullptr && !cancelled)
    copied.copy->write_back(copied.receives, copied.map, copied.count, bytes);
  // The request may still be active: its memory is needed until it is complete.
  if (copied.receives != nullptr) found->second.receives = nullptr;
}

// Requests that a call names may be freed in it.
void Control::name_pollable(const Context& c, bool after) {
  if (!steering_.is_of_buffers()) return;
  std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < c.event.requests.size(); ++i) {
    const RequestId id = c.event.requests[i];
    if (!after)
      pollable_.erase(id);
    else if (c.requests[i] != MPI_REQUEST_NULL && may_poll_)
      pollable_.insert(id);
    else if (c.requests[i] == MPI_REQUEST_NULL && traits(c.call).action != Action::RequestFree)
      copies_.erase(id);
  }
}

bool Control::is_arrived(RequestId request, MPI_Request handle, MPI_Status* status) {
  {
    std::lock_guard lock(mutex_);
    if (!pollable_.contains(request)) return false;
  }
  int flag = 0;
  REAL(PMPI_Request_get_status)(handle, &flag, status);
  return flag != 0;
}

// What has arrived after its receive was released: the program may read its buffer until it does.
// Not on a recorded rank: its journal stores the buffer at completion.
void Control::deliver_released() {
  if (steering_.is_recorded()) return;
  std::vector<std::pair<RequestId, MPI_Request>> open;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [id, copied] : copies_)
      if (copied.released && copied.receives != nullptr) open.emplace_back(id, copied.handle);
  }
  for (const auto& [id, handle] : open) {
    MPI_Status status;
    if (is_arrived(id, handle, &status))
      deliver(id, status_bytes(status), status_cancelled(status));
  }
}

// The program may know by other messages when its data has arrived. No later call tells.
void Control::deliver_before_free(const Context& c) {
  for (std::size_t i = 0; i < c.event.requests.size(); ++i) {
    MPI_Status status;
    MPI_Request handle = c.scratch.handles[i];
    {
      std::lock_guard lock(mutex_);
      if (!copies_.contains(c.event.requests[i])) continue;
    }
    const auto is_complete = [&] {
      int flag = 0;
      REAL(PMPI_Request_get_status)(handle, &flag, &status);
      return flag != 0;
    };
    if (steering_.await_completion(is_complete, schedule_.pause_ms))
      deliver(c.event.requests[i], status_bytes(status), status_cancelled(status));
  }
}

// The request of a deferred operation is freed once the operation has started. The call frees one
// that does nothing.
void Control::free_later(Context& c) {
  std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < c.event.requests.size(); ++i) {
    const auto found = deferred_requests_.find(c.event.requests[i]);
    if (found == deferred_requests_.end()) continue;
    if (!found->second->started) {
      found->second->freed = true;
      REAL(PMPI_Recv_init)
      (nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &c.requests[i]);
    }
    deferred_requests_.erase(found);
  }
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
      std::none_of(steering_.schedules().findings.begin(), steering_.schedules().findings.end(),
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
  if (returns_result(traits(c.call).action) || !steering_.second_is_in_target()) return nullptr;
  for (const Buffer& buffer : c.event.buffers)
    if (const auto type = known_.types.find(buffer.type);
        buffer.access == BufferUse::Read && type != known_.types.end())
      return OriginCopy::of(c.send.address, type->second.map, buffer.count);
  return nullptr;
}

void Control::defer(Context& c, std::shared_ptr<const OriginCopy> copy, std::function<int()> call) {
  auto scope = std::make_shared<Extent>();
  scope->win = c.event.fields[Field::win];
  scope->target = c.event.fields[Field::target];
  scope->atomic = is_atomic(traits(c.call).action);
  steering_.defer(
      {.over_locally = !steering_.second_is_in_target() || returns_result(traits(c.call).action),
       .later = std::move(call),
       .copy = std::move(copy),
       .scope = std::move(scope)});
}

bool Control::follows(const Context& c) const {
  if (steering_.is_of_buffers()) return true;
  const Action action = traits(c.call).action;
  return action == Action::WinCreate || action == Action::WinFree || action == Action::WinAttach ||
         action == Action::WinDetach;
}

bool Control::may_flush(const Context& c) const {
  const std::uint64_t win = c.win->definition.uid.value;
  const std::vector<HeldLock>& locks = steering_.locks();
  return std::any_of(locks.begin(), locks.end(), [&](const HeldLock& lock) {
    return lock.win == win &&
           (lock.target == kAnySource.value ||
            lock.target == static_cast<std::int32_t>(c.event.fields[Field::target]));
  });
}

// True if the operation is complete.
bool Control::complete_early(Context& c) {
  const CallTraits& call = traits(c.call);
  if (t_control.copy != nullptr) return true;  // of a send
  if (t_control.second_window != MPI_WIN_NULL) {
    REAL(PMPI_Win_flush)(c.target_rank, t_control.second_window);
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
  // Otherwise the library gets time to complete it by itself; a request, as long as others
  // progress.
  const auto is_complete = [&] {
    int flag = count > 0 ? 1 : 0;
    for (int i = 0; i < count && flag != 0; ++i)
      REAL(PMPI_Request_get_status)(requests[i], &flag, MPI_STATUS_IGNORE);
    return flag != 0;
  };
  return steering_.await_completion(is_complete,
                                    count > 0 ? schedule_.pause_ms : schedule_.unit_ms) ||
         call.when == When::Blocks;
}

// The operation at hand, which stays pending.
PendingOperation Control::pending_operation(const Context& c) {
  const FieldSet& fields = c.event.fields;
  const Action action = traits(c.call).action;
  const bool of_buffer = !in_target(schedule_.sides[t_step.sides >> 1 & 1].kind);
  auto scope = std::make_shared<Extent>();
  if (fields.has(Field::win)) scope->win = fields[Field::win];
  if (fields.has(Field::target)) scope->target = fields[Field::target];
  // The request of a put says nothing about its completion at the target.
  if (fields.has(Field::request) && (of_buffer || returns_result(action)))
    scope->requests.push_back(RequestId(static_cast<std::uint64_t>(fields[Field::request])));
  if (action == Action::Start) scope->requests = c.event.requests;
  scope->atomic = is_atomic(action);
  PendingOperation operation{.over_locally = of_buffer || returns_result(action),
                             .scope = std::move(scope)};
  // The journal of a recorded rank stores a buffer that is complete early at its own call only.
  if (of_buffer && c.new_request != nullptr && may_poll_ && !steering_.is_recorded() &&
      steering_.goes_first()) {
    const RequestId id(static_cast<std::uint64_t>(fields[Field::request]));
    std::lock_guard lock(mutex_);
    pollable_.insert(id);
    operation.is_complete = [this, id, handle = c.new_request->handle] {
      MPI_Status status;
      return is_arrived(id, handle, &status);
    };
  }
  return operation;
}

bool Control::Effect::completes(const PendingOperation& pending, bool locally) const {
  const auto* const operation = dynamic_cast<const Extent*>(pending.scope.get());
  if (operation == nullptr) return false;
  const FieldSet& fields = c_.event.fields;
  const Action action = traits(c_.call).action;
  if (action == Action::Start) return false;
  if (operation->freed)
    return action != Action::RequestFree && traits(c_.call).when != When::Starts;
  for (const RequestId id : c_.event.requests)
    if (std::find(operation->requests.begin(), operation->requests.end(), id) !=
        operation->requests.end())
      return true;
  if (action == Action::Finalize) return true;
  if (operation->win == 0 || !fields.has(Field::win) || fields[Field::win] != operation->win)
    return false;
  if (action == Action::WinFree) return true;
  using Targets = mpi_meaning::CompletionRule::Targets;
  const auto rule = mpi_meaning::completion_of(
      action, fields.has(Field::assertion) ? fields[Field::assertion] : std::int64_t{0});
  if (!rule) return false;
  if (rule->targets == Targets::One && fields[Field::target] != operation->target) return false;
  // After MPI_Win_complete the origin has no other call that completes the operation.
  return locally || rule->completeness == Completeness::Remote || rule->targets == Targets::Started;
}

// MPI orders atomics to one target. A deferred send or receive is started before any call that
// could depend on it: a send may only be passed by the start of a receive, a receive by no call.
bool Control::Effect::must_follow(const PendingOperation& pending) const {
  const auto* const operation = dynamic_cast<const Extent*>(pending.scope.get());
  if (operation == nullptr) return false;
  const CallTraits& call = traits(c_.call);
  const FieldSet& fields = c_.event.fields;
  if (is_atomic(call.action) && operation->atomic && fields[Field::win] == operation->win &&
      fields[Field::target] == operation->target)
    return true;
  return operation->by_request && !(operation->freed && call.action == Action::RequestFree) &&
         (!operation->is_send || call.action != Action::Receive || call.when != When::Starts);
}

bool Control::Effect::has_completed(const PendingOperation& pending) const {
  if (!completes(pending, pending.over_locally)) return false;
  const auto& operation = dynamic_cast<const Extent&>(*pending.scope);
  const auto& requests = operation.requests;
  return requests.empty() || operation.freed ||
         std::any_of(
             c_.event.completions.begin(), c_.event.completions.end(), [&](const Completion& done) {
               return std::find(requests.begin(), requests.end(), c_.event.requests[done.index]) !=
                      requests.end();
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
  if (action == Action::Lock || action == Action::LockAll)
    steering_.hold_lock(lock);
  else
    steering_.release_lock(lock);
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
  if (const Steering* const steering = Steering::get();
      steering == nullptr || !steering->is_of_memory())
    return;
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
