#include "frontend/upc/steered.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "frontend/upc/interception.h"
#include "steering/step.h"

namespace photofinish::upc {

UPC_ENTRY void upc_sync(std::uint64_t handle);
UPC_ENTRY void upc_synci();

}  // namespace photofinish::upc

namespace photofinish::upc::steered {
namespace {

bool is_nonblocking(Call call) {
  return value_of(call) >= value_of(UpcCall::upc_memcpy_nb) &&
         value_of(call) <= value_of(UpcCall::upc_memset_nbi);
}

const Positions* g_memory = nullptr;

constexpr std::uint64_t kDeferred = std::uint64_t{1} << 63;  // the runtime's handles are smaller

struct Scope final : OperationScope {
  explicit Scope(std::int64_t of) : handle(of) {}
  std::int64_t handle;
};

class Effect final : public CallEffect {
 public:
  explicit Effect(const Event& event) : event_(event) {}
  bool completes(const PendingOperation& pending, bool) const override {
    const auto* const transfer = dynamic_cast<const Scope*>(pending.scope.get());
    if (transfer == nullptr) return false;
    if (transfer->handle == 0) return true;
    const Action action = traits(event_.call).action;
    return action == Action::Finalize || action == Action::Abort ||
           (action == Action::Quiet && event_.handle == transfer->handle);
  }

 private:
  const Event& event_;
};

bool is_of_kind(BufferUse use, AccessKind kind) {
  switch (use) {
    case BufferUse::Read:
      return kind == AccessKind::Load;
    case BufferUse::Write:
      return kind == AccessKind::Store;
    case BufferUse::ReadWrite:
      return kind == AccessKind::Load || kind == AccessKind::Store;
    case BufferUse::TargetRead:
      return kind == AccessKind::Get;
    case BufferUse::TargetWrite:
      return kind == AccessKind::Put;
    default:
      return kind == AccessKind::Accumulate;
  }
}

// The kind of access that the part is, if it is of this side.
std::optional<AccessKind> kind_of(const Event& event, const Event::Part& part,
                                  const ScheduledSide& side) {
  std::optional<AccessKind> kind;
  side.any_form([&](const ScheduledSide::Form& form) {
    if (form.call == event.call && is_of_kind(part.buffer.access, form.kind)) kind = form.kind;
    return kind.has_value();
  });
  return kind;
}

// The sides that the event is, of those that its site is: a copy reads and writes at one site.
std::uint32_t sides_of(Steering& steering, const Event& event) {
  std::uint32_t sides = steering.sides_at_call(event.call, event.site);
  for (std::uint32_t index = 0; index < 2 && sides != 0; ++index) {
    const ScheduledSide& side = steering.schedule().sides[index];
    if (std::none_of(event.parts.begin(), event.parts.end(),
                     [&](const Event::Part& part) { return kind_of(event, part, side); }))
      sides &= ~(1u << index);
  }
  return sides;
}

// Whether the schedule names this thread for one of the sides.
bool is_awaited(const Steering& steering, std::uint32_t sides) {
  for (std::uint32_t index = 0; index < 2; ++index)
    if ((sides >> index & 1) != 0 && steering.schedule().sides[index].rank == steering.rank())
      return true;
  return false;
}

struct Chosen {
  const Event* event = nullptr;
  std::uint32_t sides = 0;
};

// Chooses one of several accesses at sites of the race, in turn. Accesses of a scheduled thread are
// preferred. The seed of the run selects the first.
Chosen choose(Steering& steering, const std::vector<Event>& events) {
  static std::uint64_t turn = steering.schedule().seed;
  std::vector<Chosen> all;
  for (const Event& event : events)
    if (const std::uint32_t sides = sides_of(steering, event); sides != 0)
      all.push_back({&event, sides});
  if (all.empty()) return {};
  if (all.size() == 1) return all[0];
  std::vector<Chosen> awaited;
  for (const Chosen& one : all)
    if (is_awaited(steering, one.sides)) awaited.push_back(one);
  const std::vector<Chosen>& from = awaited.empty() ? all : awaited;
  return from[turn++ % from.size()];
}

// Its bytes, of one owner.
void add_bytes(const Steering& steering, TableEntry& access, const Event& event) {
  const ScheduledSide& side = steering.side_of(access);
  bool first = true;
  for (const Event::Part& part : event.parts) {
    const auto kind = kind_of(event, part, side);
    if (!kind) continue;
    if (std::exchange(first, false)) access.owner = part.owner;
    if (access.owner == part.owner) steering.add_buffers(access, {part.buffer}, *kind, 0, 1);
  }
}

bool is_side_in_target(const Steering& steering) {
  return in_target(steering.schedule().sides[t_step.sides >> 1 & 1].kind);
}

}  // namespace

void start(const Positions& memory) {
  Steering* const steering = Steering::get();
  if (steering == nullptr) return;
  g_memory = &memory;
  guarded([&] {
    steering->add_memory([steering](std::int64_t address) -> std::optional<Steering::Place> {
      const auto position = g_memory->position_of(static_cast<std::uint64_t>(address));
      if (!position) return std::nullopt;
      return Steering::Place{steering->rank(), static_cast<std::int64_t>(*position)};
    });
  });
}

Event event_of(const Steering& steering, const mpi::Context& c) {
  const FieldSet& fields = c.event.fields;
  Event event{.call = c.call, .site = c.event.site, .parts = {}, .lock = {}};
  const auto target = static_cast<std::int32_t>(fields[Field::target]);
  const auto position_in_region = [&](std::uint64_t displacement) {
    return fields.has(Field::win)
               ? g_memory->position_in(WinId(static_cast<std::uint32_t>(fields[Field::win])),
                                       displacement)
               : displacement;
  };
  for (Buffer buffer : c.event.buffers) {
    const bool at_target = buffer.access >= BufferUse::TargetRead;
    buffer.address = at_target ? position_in_region(buffer.address)
                               : g_memory->position_of(buffer.address).value_or(buffer.address);
    event.parts.push_back({at_target ? target : steering.rank().value, buffer});
  }
  if (fields.has(Field::key))
    event.lock = {position_in_region(static_cast<std::uint64_t>(fields[Field::key])), target, 1};
  if (fields.has(Field::context)) event.handle = fields[Field::context];
  return event;
}

bool lets_pass(Steering& steering, Call call) {
  const Action action = traits(call).action;
  const bool accesses =
      (action == Action::Put || action == Action::Get || action == Action::Accumulate ||
       action == Action::FetchAndOp || action == Action::CompareAndSwap) &&
      !is_nonblocking(call);
  return (accesses || action == Action::Barrier || action == Action::Synchronize ||
          action == Action::Order) &&
         steering.lets_pass(call);
}

bool waits(Call call) {
  const auto& [name, action, when] = traits(call);
  return when == When::Blocks && action != Action::Quiet && action != Action::LockRelease &&
         action != Action::Abort;
}

void before(Steering& steering, const std::vector<Event>& events, bool transfers) {
  const Event& own = events.back();
  steering.enter();
  // A program may wait for the result of a transfer that it has not completed yet.
  if (own.call == UpcCall::strict_read) steering.issue_if_late();
  steering.precede(Effect(own));
  if (const auto [event, sides] = choose(steering, events); event != nullptr) {
    TableEntry access = steering.make_access(sides);
    add_bytes(steering, access, *event);
    steering.reach(access, {.stays_pending = transfers, .is_deferrable = transfers});
  }
  steering.lift_if_settled();
  if (waits(own.call)) steering.begin_waiting();
}

void after(Steering& steering, const Event& event, bool succeeded, std::int64_t handle) {
  const Action action = traits(event.call).action;
  if (action == Action::Finalize) return steering.end();
  if (waits(event.call)) steering.end_waiting();
  if (action == Action::LockAcquire && succeeded && event.call != UpcCall::bupc_sem_wait)
    steering.hold_lock(event.lock);
  if (action == Action::LockRelease) steering.release_lock(event.lock);
  const auto complete_at_once = [&] {
    complete(static_cast<std::uint64_t>(handle));
    return true;
  };
  steering.leave(Effect(event), complete_at_once, [&]() -> PendingOperation {
    return {.over_locally = !is_side_in_target(steering), .scope = std::make_shared<Scope>(handle)};
  });
}

void complete(std::uint64_t handle) {
  if (handle == kImplicit)
    UPC_REAL(upc_synci)();
  else if (handle != 0)
    UPC_REAL(upc_sync)(handle);
}

std::int64_t defer(Steering& steering, bool implicit, std::function<void()> later) {
  static std::uint64_t count = 0;
  const auto handle = implicit ? kImplicit : static_cast<std::int64_t>(kDeferred | ++count);
  steering.defer({.over_locally = !steering.second_is_in_target(),
                  .later = std::move(later),
                  .scope = std::make_shared<Scope>(handle)});
  return handle;
}

bool is_of_deferred(std::uint64_t handle) { return (handle & kDeferred) != 0; }

}  // namespace photofinish::upc::steered
