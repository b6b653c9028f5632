#include "frontend/upc/explored.h"

#include <optional>

#include "frontend/upc/interception.h"
#include "order/keys.h"
#include "steering/object_gate.h"
#include "upc_runtime/operations.h"

namespace photofinish::upc::explored {
namespace {

using Effect = ObjectGate::Effect;
using Turn = ObjectGate::Turn;

// None: the order is not controlled.
std::optional<Turn> turn_at(const Interception& call, const Position& at) {
  if (!call.is_explored() || ObjectGate::get() == nullptr) return std::nullopt;
  const SharedMemory::Place place = SharedMemory::get().find(at.offset);
  if (place.region == WinId(0)) return std::nullopt;
  const auto& regions = Recorder::get()->writer().known().wins;
  return Turn{.object = regions.at(place.region).uid.value,
              .target = static_cast<std::int32_t>(at.thread),
              .displacement = place.displacement};
}

std::uint64_t bits(const void* value, std::size_t bytes) {
  return value != nullptr ? bits_of(value, bytes) : 0;
}

// Whether the call, which fetched the value before it, has left the place as it was.
bool leaves_unchanged(const Atomic& a) {
  if (a.operation == kGet) return true;
  if (a.fetched == nullptr) return false;
  const std::uint64_t before = bits(a.fetched, a.bytes), operand = bits(a.operand1, a.bytes);
  if (a.operation == kSwap) return before != operand || before == bits(a.operand2, a.bytes);
  return a.operation == kSet && before == operand;
}

Effect effect_of(LockCall what) {
  return what == LockCall::Acquire   ? Effect::Lock
         : what == LockCall::Release ? Effect::Unlock
                                     : Effect::None;
}

}  // namespace

void begin_call(Call call) {
  const Action action = traits(call).action;
  if (ObjectGate* const gate = ObjectGate::get())
    gate->begin_call(call, action == Action::Quiet || action == Action::Order);
}

bool enter(Interception& call, Call family, const Atomic& atomic) {
  auto turn = turn_at(call, atomic.at);
  if (!turn) return false;
  call.count(family);
  if (atomic.fetched != nullptr)
    turn->repeats =
        edge_key(Channel::Atomic, call.call_site().pc, atomic.operation,
                 bits(atomic.operand1, atomic.bytes), bits(atomic.operand2, atomic.bytes));
  return ObjectGate::get()->enter(*turn);
}

void leave(const Atomic& atomic) {
  ObjectGate::get()->leave({.effect = leaves_unchanged(atomic) ? Effect::None : Effect::Change,
                            .returned = bits(atomic.fetched, atomic.bytes)});
}

bool enter(Interception& call, LockCall what, const Position& lock) {
  auto turn = turn_at(call, lock);
  if (!turn) return false;
  turn->type = SharedObject::TestableLock;
  turn->effect = effect_of(what);
  if (what == LockCall::Attempt) {
    call.count(UpcCall::upc_lock_attempt);
    turn->repeats = edge_key(Channel::Lock, call.call_site().pc);
  }
  return ObjectGate::get()->enter(*turn);
}

void leave(LockCall what, bool failed) {
  if (what == LockCall::Attempt)
    return ObjectGate::get()->leave({.effect = failed ? Effect::None : Effect::Lock});
  ObjectGate::get()->leave({.effect = effect_of(what)});
}

}  // namespace photofinish::upc::explored
