#include "frontend/mpi/window_turns.h"

#include "frontend/mpi/real.h"
#include "model/scopes.h"
#include "steering/object_gate.h"

namespace photofinish::mpi {

using Effect = ObjectGate::Effect;

WindowTurns::Epoch WindowTurns::epoch_of(const Context& c) {
  const bool all = !c.event.fields.has(Field::target);
  return {c.win->definition.uid.value,
          all ? kAnySource.value : static_cast<std::int32_t>(c.event.fields[Field::target])};
}

bool WindowTurns::is_operation(const Context& c, Epoch epoch) const {
  const auto& [name, action, when] = traits(c.call);
  return is_atomic(action) && when == When::Returns && !exclusive_.contains(epoch) &&
         (epochs_.contains(epoch) || epochs_.contains({epoch.first, kAnySource.value}));
}

namespace {

bool is_exclusive_lock(const Context& c) {
  return traits(c.call).action == Action::Lock && c.event.fields[Field::lock] == kExclusiveLock &&
         (c.event.fields[Field::assertion] & kNoCheck) == 0;
}

}  // namespace

void WindowTurns::before(ObjectGate& gate, const Context& c) {
  gate.begin_call(c.call);
  if (c.win == nullptr) return;
  const auto epoch = epoch_of(c);
  ObjectGate::Turn turn{.object = epoch.first, .target = epoch.second};
  if (is_exclusive_lock(c)) {
    turn.type = SharedObject::Lock;
    turn.effect = Effect::Lock;
    if (!gate.enter(turn)) return;
    gate.leave({.effect = Effect::Lock});
    exclusive_.insert(epoch);
  } else if (is_operation(c, epoch)) {
    turn.displacement = c.target.displacement;
    operates_ = gate.enter(turn);
  }
}

void WindowTurns::after(ObjectGate& gate, const Context& c) {
  const Action action = traits(c.call).action;
  if (operates_) {
    REAL(PMPI_Win_flush)(c.target_rank, c.win->handle);
    gate.leave({});
    operates_ = false;
  }
  if (c.win == nullptr) return;
  if (action == Action::Lock || action == Action::LockAll) epochs_.insert(epoch_of(c));
  if (action != Action::Unlock && action != Action::UnlockAll) return;
  const auto epoch = epoch_of(c);
  epochs_.erase(epoch);
  if (exclusive_.erase(epoch) != 0)
    gate.unlocked({.object = epoch.first,
                   .target = epoch.second,
                   .type = SharedObject::Lock,
                   .effect = Effect::Unlock});
}

}  // namespace photofinish::mpi
