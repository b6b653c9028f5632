#include "frontend/shmem/explored.h"

#include <optional>

#include "frontend/shmem/pe_sets.h"
#include "order/keys.h"
#include "steering/object_gate.h"

namespace photofinish::shmem {

SHMEM_ENTRY int shmem_int_atomic_fetch(const int* word, int pe);
SHMEM_ENTRY long shmem_long_atomic_fetch(const long* word, int pe);

}  // namespace photofinish::shmem

namespace photofinish::shmem::explored {
namespace {

using Effect = ObjectGate::Effect;
using Turn = ObjectGate::Turn;

std::uint64_t value_of_word(const void* word, int pe, std::size_t bytes) {
  return bytes == sizeof(int) ? static_cast<std::uint32_t>(SHMEM_REAL(shmem_int_atomic_fetch)(
                                    static_cast<const int*>(word), pe))
                              : static_cast<std::uint64_t>(SHMEM_REAL(shmem_long_atomic_fetch)(
                                    static_cast<const long*>(word), pe));
}

// None: the order is not controlled.
std::optional<Turn> turn_at(const Interception& call, const void* address, int pe) {
  if (!call.is_explored() || ObjectGate::get() == nullptr) return std::nullopt;
  const SymmetricMemory::Place place = SymmetricMemory::get().find(address);
  if (place.region == WinId(0)) return std::nullopt;
  const auto& regions = Recorder::get()->writer().known().wins;
  return Turn{.object = regions.at(place.region).uid.value,
              .target = pe,
              .displacement = place.displacement};
}

std::optional<Turn> word_at(const Interception& call, const void* word, int pe, std::size_t bytes) {
  auto turn = turn_at(call, word, pe);
  if (turn && (bytes == sizeof(int) || bytes == sizeof(long)))
    turn->value = [=] { return value_of_word(word, pe, bytes); };
  return turn;
}

// All calls on a lock go to the lock of PE 0.
std::optional<Turn> lock_at(const Interception& call, const volatile long* lock, Effect effect) {
  auto turn = turn_at(call, const_cast<const long*>(lock), 0);
  if (turn) turn->type = SharedObject::TestableLock, turn->effect = effect;
  return turn;
}

std::uint64_t bits(const void* value, std::size_t bytes) {
  return value != nullptr ? bits_of(value, bytes) : 0;
}

// Whether the call, which returned `before`, has left the word as it was.
bool leaves_unchanged(const Atomic& a) {
  if (a.result == nullptr) return false;
  const std::uint64_t before = bits(a.result, a.bytes), operand = bits(a.operand, a.bytes);
  switch (value_of(a.family)) {
    case value_of(ShmemCall::shmem_atomic_fetch):
    case value_of(ShmemCall::shmem_signal_fetch):
      return true;
    case value_of(ShmemCall::shmem_atomic_compare_swap):
      return before != bits(a.compare, a.bytes) || before == operand;
    case value_of(ShmemCall::shmem_atomic_swap):
      return before == operand;
    case value_of(ShmemCall::shmem_atomic_fetch_add):
    case value_of(ShmemCall::shmem_atomic_fetch_xor):
      return operand == 0;
    case value_of(ShmemCall::shmem_atomic_fetch_and):
      return (before & operand) == before;
    case value_of(ShmemCall::shmem_atomic_fetch_or):
      return (before | operand) == before;
    default:
      return false;
  }
}

// Without a result, the gate cannot tell whether the call changed anything.
std::uint64_t identity(CallSite call_site, const Atomic& a) {
  if (a.result == nullptr) return 0;
  return edge_key(Channel::Atomic, call_site.pc, bits(a.operand, a.bytes),
                  bits(a.compare, a.bytes));
}

}  // namespace

void begin_call(Call call) {
  const Action action = traits(call).action;
  if (ObjectGate* const gate = ObjectGate::get())
    gate->begin_call(call, action == Action::Quiet || action == Action::Order);
}

void update(const Interception& call, CallSite call_site, const Atomic& atomic, Part<> made) {
  auto turn = word_at(call, atomic.word, atomic.pe, atomic.bytes);
  if (turn) turn->repeats = identity(call_site, atomic);
  if (!turn || !ObjectGate::get()->enter(*turn)) return made();
  made();
  ObjectGate::Result result;
  if (leaves_unchanged(atomic)) result.effect = Effect::None;
  result.returned = bits(atomic.result, atomic.bytes);
  // One without a result may be incomplete; the fetch is ordered behind it.
  if (result.effect == Effect::Change && turn->value != nullptr) result.value = turn->value();
  ObjectGate::get()->leave(result);
}

void acquire_lock(const Interception& call, const volatile long* lock, Part<> made) {
  const auto turn = lock_at(call, lock, Effect::Lock);
  if (!turn || !ObjectGate::get()->enter(*turn)) return made();
  made();
  ObjectGate::get()->leave({.effect = Effect::Lock});
}

void test_lock(const Interception& call, CallSite call_site, const volatile long* lock, Part<> made,
               const bool& failed) {
  auto turn = lock_at(call, lock, Effect::None);
  if (turn) turn->repeats = edge_key(Channel::Lock, call_site.pc);
  if (!turn || !ObjectGate::get()->enter(*turn)) return made();
  made();
  ObjectGate::get()->leave({.effect = failed ? Effect::None : Effect::Lock});
}

void release_lock(const Interception& call, const volatile long* lock, Part<> made) {
  const auto turn = lock_at(call, lock, Effect::Unlock);
  if (!turn || !ObjectGate::get()->enter(*turn)) return made();
  made();
  ObjectGate::get()->leave({.effect = Effect::Unlock});
}

void write(const Interception& call, const void* word, int pe, std::size_t bytes,
           const void* value) {
  const auto turn = word_at(call, word, pe, bytes);
  if (!turn || turn->value == nullptr) return;
  ObjectGate::get()->about_to_write(*turn, bits_of(value, bytes));
}

void wait(const Interception& call, const void* word, std::size_t bytes, const Satisfies& satisfies,
          Part<> made) {
  const auto turn = turn_at(call, word, own_pe());
  if (!turn) return made();
  ObjectGate& gate = *ObjectGate::get();
  const std::uint32_t since = gate.now();
  const bool before = satisfies(bits_of(const_cast<const void*>(word), bytes));
  made();
  gate.observed(*turn, since, before, satisfies);
}

}  // namespace photofinish::shmem::explored
