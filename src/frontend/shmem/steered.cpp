#include "frontend/shmem/steered.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "frontend/mpi/real.h"
#include "frontend/shmem/interception.h"
#include "frontend/shmem/meaning/completion.h"
#include "frontend/shmem/pe_sets.h"
#include "steering/step.h"

namespace photofinish::shmem {

SHMEM_ENTRY void shmem_quiet();
SHMEM_ENTRY void shmem_ctx_quiet(Ctx context);
SHMEM_ENTRY void shmem_fence();
SHMEM_ENTRY void shmem_ctx_fence(Ctx context);

}  // namespace photofinish::shmem

namespace photofinish::shmem::steered {
namespace {

using Rule = shmem_meaning::CompletionRule;

struct Scope final : OperationScope {
  std::int64_t context = 0;  // its number
  std::int64_t pe = 0;
  bool ordered = false;  // by a fence
  // Of a deferred operation: a fence was made since, and must be made again after it.
  mutable std::atomic<bool> fenced = false;
};

bool is_operation(Action action) {
  return action == Action::Put || action == Action::PutSignal || action == Action::Get ||
         action == Action::Accumulate || is_fetch(action);
}

std::int64_t context_of(const mpi::Context& c) {
  return c.event.fields.has(Field::context) ? c.event.fields[Field::context] : 0;
}

class Effect final : public CallEffect {
 public:
  Effect(const mpi::Context& c, const How& how) : c_(c), how_(how) {}

  bool completes(const PendingOperation& pending, bool) const override {
    const auto* const operation = dynamic_cast<const Scope*>(pending.scope.get());
    if (operation == nullptr) return false;
    const auto rule = shmem_meaning::completion_of(traits(c_.call).action);
    if (!rule) return false;
    switch (rule->contexts) {
      case Rule::Contexts::Default:
        return operation->context == 0;
      case Rule::Contexts::One:
        return operation->context == context_of(c_);
      case Rule::Contexts::All:
        return true;
    }
    return true;
  }

  bool must_follow(const PendingOperation& pending) const override {
    const auto* const operation = dynamic_cast<const Scope*>(pending.scope.get());
    if (operation == nullptr) return false;
    const Action action = traits(c_.call).action;
    if (operation->context != context_of(c_)) return false;
    // The fence also orders later stores of this PE to that memory, which are no calls.
    if (action == Action::Order)
      return operation->ordered &&
             (operation->pe == own_pe() || SymmetricMemory::get().has_segments());
    return operation->fenced && is_operation(action) &&
           shmem_meaning::is_ordered(c_.call, action) &&
           c_.event.fields[Field::target] == operation->pe;
  }

  bool may_wait_for(const PendingOperation& pending) const override {
    return how_.waits && !how_.polls && dynamic_cast<const Scope*>(pending.scope.get()) != nullptr;
  }

 private:
  const mpi::Context& c_;
  const How& how_;
};

void quiet(Ctx context) {
  if (context == kDefaultContext)
    SHMEM_REAL(shmem_quiet)();
  else
    SHMEM_REAL(shmem_ctx_quiet)(context);
}

void fence(Ctx context) {
  if (context == kDefaultContext)
    SHMEM_REAL(shmem_fence)();
  else
    SHMEM_REAL(shmem_ctx_fence)(context);
}

// The deferred operations of this process that a fence may concern.
struct Deferred {
  std::mutex mutex;
  std::vector<std::weak_ptr<const Scope>> scopes;
};
Deferred& deferred() {
  static auto* const all = new Deferred;
  return *all;
}

void note_fence(const mpi::Context& c) {
  Deferred& all = deferred();
  std::lock_guard lock(all.mutex);
  std::erase_if(all.scopes, [](const auto& scope) { return scope.expired(); });
  for (const auto& weak : all.scopes)
    if (const auto scope = weak.lock();
        scope != nullptr && scope->ordered && scope->context == context_of(c))
      scope->fenced = true;
}

std::shared_ptr<Scope> scope_of(const mpi::Context& c) {
  auto scope = std::make_shared<Scope>();
  scope->context = context_of(c);
  scope->pe = c.event.fields.has(Field::target) ? c.event.fields[Field::target] : -1;
  scope->ordered = shmem_meaning::is_ordered(c.call, traits(c.call).action);
  return scope;
}

bool is_of_target(BufferUse use, AccessKind kind) {
  switch (use) {
    case BufferUse::TargetRead:
      return kind == AccessKind::Get;
    case BufferUse::TargetWrite:
      return kind == AccessKind::Put;
    default:
      return kind == AccessKind::Accumulate;
  }
}

// The bytes that the side accesses, at common addresses where they are symmetric.
void add_bytes(Steering& steering, TableEntry& access, const mpi::Context& c) {
  const AccessKind kind = steering.side_of(access).kind;
  const FieldSet& fields = c.event.fields;
  for (const Buffer& buffer : c.event.buffers) {
    std::int64_t base = 0;
    if (buffer.access >= BufferUse::TargetRead) {
      if (!in_target(kind) || !is_of_target(buffer.access, kind)) continue;
      const Field region = buffer.access == BufferUse::TargetUpdate && fields.has(Field::signal_win)
                               ? Field::signal_win
                               : Field::win;
      access.owner = static_cast<std::int32_t>(fields[Field::target]);
      base = SymmetricMemory::get().common_address(
          WinId(static_cast<std::uint32_t>(fields[region])), 0);
    } else if (const auto place = SymmetricMemory::get().shared(
                   static_cast<std::int64_t>(buffer.address), steering.rank())) {
      base = place->common - static_cast<std::int64_t>(buffer.address);
    }
    steering.add_buffers(access, {buffer}, kind, base, 1);
  }
}

bool is_side_in_target(const Steering& steering) {
  return in_target(steering.schedule().sides[t_step.sides >> 1 & 1].kind);
}

// Whether the access lasts longer than its call.
bool stays_pending(const mpi::Context& c, bool of_target) {
  return shmem_meaning::is_nonblocking(c.call) ||
         (of_target && !shmem_meaning::fetches(traits(c.call).action));
}

// Of the messages of synchronize(). (MPI_COMM_NULL is looked up, and a process without MPI has
// none.)
std::optional<MPI_Comm> g_comm;
// A context may belong to one thread, and another one may make the call that ends the deferral.
bool g_defers = false;

}  // namespace

void start() {
  Steering* const steering = Steering::get();
  if (steering == nullptr) return;
  guarded([&] {
    steering->add_memory([steering](std::int64_t address) -> std::optional<Steering::Place> {
      const auto place = SymmetricMemory::get().shared(address, steering->rank());
      if (!place) return std::nullopt;
      return Steering::Place{place->owner, place->common};
    });
  });
  int level = 0;
  REAL(PMPI_Query_thread)(&level);
  g_defers = level < MPI_THREAD_SERIALIZED;
  if (steering->schedule().kind == RaceKind::Memory)
    REAL(PMPI_Comm_dup)(MPI_COMM_WORLD, &g_comm.emplace());
}

bool is_active() { return g_comm.has_value(); }

void before(Steering& steering, const mpi::Context& c, const How& how) {
  const Action action = traits(c.call).action;
  steering.enter();
  if (!how.waits) steering.issue_if_late();
  if (action == Action::Put || action == Action::PutSignal || action == Action::Accumulate)
    steering.restart_quiet();
  steering.precede(Effect(c, how));
  if (action == Action::Order) note_fence(c);
  if (const std::uint32_t sides = steering.sides_at_call(c.call, c.event.site); sides != 0) {
    TableEntry access = steering.make_access(sides);
    add_bytes(steering, access, c);
    const bool pends = how.pending && stays_pending(c, in_target(steering.side_of(access).kind));
    steering.reach(access,
                   {.stays_pending = pends, .is_deferrable = pends && how.keeps && g_defers});
  }
  steering.lift_if_settled();
  if (action == Action::Finalize) steering.close_channel();
  if (how.waits && !how.polls) steering.begin_waiting();
}

void after(Steering& steering, const mpi::Context& c, const How& how) {
  const Action action = traits(c.call).action;
  if (action == Action::Finalize) return steering.end();
  if (how.waits && !how.polls) steering.end_waiting();
  if (action == Action::LockAcquire || action == Action::LockRelease) {
    const FieldSet& fields = c.event.fields;
    if (!c.event.buffers.empty() && (!fields.has(Field::flag) || fields[Field::flag] != 0)) {
      const HeldLock lock{static_cast<std::uint64_t>(SymmetricMemory::get().common_address(
                              WinId(static_cast<std::uint32_t>(fields[Field::win])),
                              c.event.buffers.front().address)),
                          0, 1};
      action == Action::LockAcquire ? steering.hold_lock(lock) : steering.release_lock(lock);
    }
  }
  const auto complete = [&] {
    if (how.pending && stays_pending(c, is_side_in_target(steering))) quiet(how.context);
    return true;
  };
  steering.leave(Effect(c, how), complete, [&]() -> PendingOperation {
    return {.over_locally = !is_side_in_target(steering), .scope = scope_of(c)};
  });
}

void defer(Steering& steering, const mpi::Context& c, Ctx context, std::function<void()> later) {
  std::shared_ptr<const Scope> scope = scope_of(c);
  {
    Deferred& all = deferred();
    std::lock_guard lock(all.mutex);
    all.scopes.push_back(scope);
  }
  steering.defer({.over_locally = !steering.second_is_in_target(),
                  .later =
                      [later = std::move(later), scope, context] {
                        later();
                        if (scope->fenced) fence(context);
                      },
                  .scope = scope});
}

bool copies_origin(const Steering& steering) { return steering.second_is_in_target(); }

// A dissemination barrier. Two PEs call their common barriers in the same order, and messages do
// not overtake.
bool synchronize(const PeSet& set) {
  if (!is_active()) return false;
  int rank = 0, count = set.count;
  REAL(PMPI_Comm_rank)(*g_comm, &rank);
  if (count == 0) REAL(PMPI_Comm_size)(*g_comm, &count);
  const int own = (rank - set.first) / set.stride;
  const auto pe = [&](int index) {
    return set.first + (index % count + count) % count * set.stride;
  };
  Steering* const steering = Steering::get();
  for (int distance = 1, round = 1; distance < count; distance *= 2, ++round) {
    MPI_Request requests[2];
    REAL(PMPI_Irecv)(nullptr, 0, MPI_BYTE, pe(own - distance), round, *g_comm, &requests[0]);
    REAL(PMPI_Isend)(nullptr, 0, MPI_BYTE, pe(own + distance), round, *g_comm, &requests[1]);
    if (steering == nullptr) {
      REAL(PMPI_Waitall)(2, requests, MPI_STATUSES_IGNORE);
      continue;
    }
    steering->wait_while_deferring([&] {
      int done = 0;
      REAL(PMPI_Testall)(2, requests, &done, MPI_STATUSES_IGNORE);
      return done != 0;
    });
  }
  return true;
}

// It completes the default context, too.
bool barrier(const PeSet& set) {
  if (!is_active()) return false;
  quiet(kDefaultContext);
  return synchronize(set);
}

}  // namespace photofinish::shmem::steered
