#include "frontend/mpi/window_turns.h"

#include <cstring>

#include "frontend/mpi/real.h"
#include "model/scopes.h"
#include "order/keys.h"
#include "steering/object_gate.h"

namespace photofinish::mpi {

using Effect = ObjectGate::Effect;

namespace {

// Between two attempts of a loop that polls, a program completes the first one.
bool completes_attempt(Action action) {
  return action == Action::Flush || action == Action::FlushAll || action == Action::FlushLocal ||
         action == Action::FlushLocalAll || action == Action::WinSync;
}

// An atomic operation on one word that returns its value.
struct FetchingOperation {
  explicit FetchingOperation(const Context& c) : context_(c) {
    const Action action = traits(c.call).action;
    int bytes = 0;
    if (action == Action::Accumulate || c.recv.count != 1 || c.target.count != 1) return;
    if (REAL(PMPI_Type_size)(c.target.type, &bytes) != MPI_SUCCESS) return;
    if (bytes > 0 && bytes <= static_cast<int>(sizeof(std::uint64_t)))
      bytes_ = static_cast<std::size_t>(bytes);
  }
  // Of the call and its operands. 0: not such an operation.
  std::uint64_t identity() const {
    if (bytes_ == 0) return 0;
    const std::uint64_t site = context_.event.site.value;
    return edge_key(Channel::Atomic, site, operand(), compared()) | 1;
  }
  std::uint64_t returned() const { return bytes_ != 0 ? bits(context_.recv.address) : 0; }
  bool leaves_unchanged() const {
    if (bytes_ == 0) return false;
    if (compares()) return returned() != compared() || returned() == operand();
    const MPI_Op op = context_.op;
    if (op == MPI_NO_OP) return true;
    if (op == MPI_REPLACE) return returned() == operand();
    return operand() == 0 && (op == MPI_SUM || op == MPI_BOR || op == MPI_BXOR);
  }

 private:
  bool compares() const { return traits(context_.call).action == Action::CompareAndSwap; }
  std::uint64_t operand() const {
    const bool reads = compares() || context_.op != MPI_NO_OP;
    return reads ? bits(context_.send.address) : 0;
  }
  std::uint64_t compared() const { return compares() ? bits(context_.compare) : 0; }
  std::uint64_t bits(const void* value) const {
    std::uint64_t bits = 0;
    if (value != nullptr) std::memcpy(&bits, value, bytes_);
    return bits;
  }

  const Context& context_;
  std::size_t bytes_ = 0;
};

}  // namespace

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
  gate.begin_call(c.call, completes_attempt(traits(c.call).action));
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
    turn.repeats = FetchingOperation(c).identity();
    operates_ = gate.enter(turn);
  }
}

void WindowTurns::after(ObjectGate& gate, const Context& c) {
  const Action action = traits(c.call).action;
  if (operates_) {
    REAL(PMPI_Win_flush)(c.target_rank, c.win->handle);
    const FetchingOperation operation(c);
    gate.leave({.effect = operation.leaves_unchanged() ? Effect::None : Effect::Change,
                .returned = operation.returned()});
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
