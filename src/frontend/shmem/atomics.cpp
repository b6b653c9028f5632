// Atomics. Each has a number and its operand; one that fetches also its result, which tells whose
// update it read.
#include "frontend/shmem/explored.h"
#include "frontend/shmem/interception.h"
#include "frontend/shmem/pe_sets.h"

namespace photofinish::shmem {
namespace {

struct Atomic {
  Ctx context;
  const void* target;
  int pe;
  std::size_t bytes;
  TypeId (*type)();
  const void* operand = nullptr;
  const void* compare = nullptr;
  const void* result = nullptr;  // of one that fetches
  bool pending = false;          // the result comes when the context is quiet
};

void describe(Context& c, const Atomic& a) {
  set_context(c, a.context);
  if (a.pending) add_buffer(c, BufferUse::Write, a.result, static_cast<std::int64_t>(a.bytes));
  add_target(c, BufferUse::TargetUpdate, a.target, a.pe, 1, a.type());
  const std::int64_t number = next_atomic();
  FieldSet& fields = c.event.fields;
  fields.set(Field::atomic, number);
  const auto value = [&](const void* of) {
    return static_cast<std::int64_t>(bits_of(of, a.bytes));
  };
  if (a.operand != nullptr) fields.set(Field::operand, value(a.operand));
  if (a.compare != nullptr) fields.set(Field::compare, value(a.compare));
  if (a.pending) {
    leave_pending(c, a.context);
    leave_fetch(a.context, {number, a.result, a.bytes});
  }
}

explored::Atomic ordered(Call family, const Atomic& a) {
  return {family, a.target, a.pe, a.bytes, a.operand, a.compare, a.result};
}

void run(CallSite call_site, Call family, const Atomic& a, Part<> made) {
  Interception call(family, call_site);
  const bool fetches = a.result != nullptr && !a.pending;
  const auto in_turn = [&] {
    if (!fetches) return made();
    explored::update(call, call_site, ordered(family, a), made);
  };
  call.returning([&](Context& c) { describe(c, a); }, in_turn,
                 [&] {
                   if (fetches) call.exchange_memory(a.result, a.bytes);
                 },
                 [&](Context& c) {
                   if (!fetches) return;
                   c.event.numbers = {c.event.fields[Field::atomic],
                                      static_cast<std::int64_t>(bits_of(a.result, a.bytes))};
                 });
  if (fetches && a.pe == own_pe()) call.make_progress();
}

// One without a result may be made later.
using Issue = void (*)(const Atomic&);
void update(CallSite call_site, Call family, const Atomic& a, Issue issue) {
  Interception call(family, call_site);
  call.operating(
      a.context, [&](Context& c) { describe(c, a); },
      [&] { explored::update(call, call_site, ordered(family, a), [&] { issue(a); }); },
      [&](bool, Interception::Later& later) {
        std::uint64_t operand = 0;
        if (a.operand != nullptr) std::memcpy(&operand, a.operand, a.bytes);
        later = [a, operand, issue] {
          Atomic kept = a;
          kept.operand = &operand;
          issue(kept);
        };
      });
}

}  // namespace

// --- forms: no operand, one operand, compare and operand; without result, with it, with it later

#define ATOMIC(family, T, given, where, at, made, ...) \
  run(CALL_SITE, ShmemCall::family,                    \
      {.context = given,                               \
       .target = where,                                \
       .pe = at,                                       \
       .bytes = sizeof(T),                             \
       .type = element_type<T>,                        \
       __VA_ARGS__},                                   \
      [&] { made; })

#define INC(symbol, family, T, parameters, arguments, given)                                   \
  SHMEM_ENTRY void symbol(parameters T* dest, int pe) {                                        \
    update(CALL_SITE, ShmemCall::family, {given, dest, pe, sizeof(T), element_type<T>},        \
           [](const Atomic& a) {                                                               \
             [[maybe_unused]] const Ctx context = a.context;                                   \
             SHMEM_REAL(symbol)(arguments static_cast<T*>(const_cast<void*>(a.target)), a.pe); \
           });                                                                                 \
  }
#define UPDATE(symbol, family, T, parameters, arguments, given)                                 \
  SHMEM_ENTRY void symbol(parameters T* dest, T value, int pe) {                                \
    update(CALL_SITE, ShmemCall::family, {given, dest, pe, sizeof(T), element_type<T>, &value}, \
           [](const Atomic& a) {                                                                \
             [[maybe_unused]] const Ctx context = a.context;                                    \
             SHMEM_REAL(symbol)                                                                 \
             (arguments static_cast<T*>(const_cast<void*>(a.target)),                           \
              *static_cast<const T*>(a.operand), a.pe);                                         \
           });                                                                                  \
  }
#define FETCH(symbol, family, T, constness, parameters, arguments, given)               \
  SHMEM_ENTRY T symbol(parameters constness T* dest, int pe) {                          \
    T result{};                                                                         \
    ATOMIC(family, T, given, dest, pe, result = SHMEM_REAL(symbol)(arguments dest, pe), \
           .result = &result);                                                          \
    return result;                                                                      \
  }
#define FETCH_UPDATE(symbol, family, T, parameters, arguments, given)                          \
  SHMEM_ENTRY T symbol(parameters T* dest, T value, int pe) {                                  \
    T result{};                                                                                \
    ATOMIC(family, T, given, dest, pe, result = SHMEM_REAL(symbol)(arguments dest, value, pe), \
           .operand = &value, .result = &result);                                              \
    return result;                                                                             \
  }
#define COMPARE_SWAP(symbol, family, T, parameters, arguments, given)                          \
  SHMEM_ENTRY T symbol(parameters T* dest, T compare, T value, int pe) {                       \
    T result{};                                                                                \
    ATOMIC(family, T, given, dest, pe,                                                         \
           result = SHMEM_REAL(symbol)(arguments dest, compare, value, pe), .operand = &value, \
           .compare = &compare, .result = &result);                                            \
    return result;                                                                             \
  }
#define LATER_FETCH(symbol, family, T, constness, parameters, arguments, given)       \
  SHMEM_ENTRY void symbol(parameters T* fetch, constness T* dest, int pe) {           \
    ATOMIC(family, T, given, dest, pe, SHMEM_REAL(symbol)(arguments fetch, dest, pe), \
           .result = fetch, .pending = true);                                         \
  }
#define LATER_FETCH_UPDATE(symbol, family, T, parameters, arguments, given)                  \
  SHMEM_ENTRY void symbol(parameters T* fetch, T* dest, T value, int pe) {                   \
    ATOMIC(family, T, given, dest, pe, SHMEM_REAL(symbol)(arguments fetch, dest, value, pe), \
           .operand = &value, .result = fetch, .pending = true);                             \
  }
#define LATER_COMPARE_SWAP(symbol, family, T, parameters, arguments, given)                  \
  SHMEM_ENTRY void symbol(parameters T* fetch, T* dest, T compare, T value, int pe) {        \
    ATOMIC(family, T, given, dest, pe,                                                       \
           SHMEM_REAL(symbol)(arguments fetch, dest, compare, value, pe), .operand = &value, \
           .compare = &compare, .result = fetch, .pending = true);                           \
  }

// Without a context, and with one.
#define NO_CTX
#define CTX_PARAMETER Ctx context,
#define CTX_ARGUMENT context,
#define BOTH(form, name, operation, ...)                                                     \
  form(shmem_##name##_##operation, shmem_##operation, __VA_ARGS__, NO_CTX, NO_CTX,           \
       kDefaultContext) form(shmem_ctx_##name##_##operation, shmem_##operation, __VA_ARGS__, \
                             CTX_PARAMETER, CTX_ARGUMENT, context)

#define AMO_TYPE(name, T)                                 \
  BOTH(INC, name, atomic_inc, T)                          \
  BOTH(UPDATE, name, atomic_add, T)                       \
  BOTH(FETCH, name, atomic_fetch_inc, T, )                \
  BOTH(FETCH_UPDATE, name, atomic_fetch_add, T)           \
  BOTH(COMPARE_SWAP, name, atomic_compare_swap, T)        \
  BOTH(LATER_FETCH, name, atomic_fetch_inc_nbi, T, )      \
  BOTH(LATER_FETCH_UPDATE, name, atomic_fetch_add_nbi, T) \
  BOTH(LATER_COMPARE_SWAP, name, atomic_compare_swap_nbi, T)
#define EXTENDED_AMO_TYPE(name, T)                    \
  BOTH(FETCH, name, atomic_fetch, T, const)           \
  BOTH(UPDATE, name, atomic_set, T)                   \
  BOTH(FETCH_UPDATE, name, atomic_swap, T)            \
  BOTH(LATER_FETCH, name, atomic_fetch_nbi, T, const) \
  BOTH(LATER_FETCH_UPDATE, name, atomic_swap_nbi, T)
#define BITWISE_TYPE(name, T)                             \
  BOTH(UPDATE, name, atomic_and, T)                       \
  BOTH(UPDATE, name, atomic_or, T)                        \
  BOTH(UPDATE, name, atomic_xor, T)                       \
  BOTH(FETCH_UPDATE, name, atomic_fetch_and, T)           \
  BOTH(FETCH_UPDATE, name, atomic_fetch_or, T)            \
  BOTH(FETCH_UPDATE, name, atomic_fetch_xor, T)           \
  BOTH(LATER_FETCH_UPDATE, name, atomic_fetch_and_nbi, T) \
  BOTH(LATER_FETCH_UPDATE, name, atomic_fetch_or_nbi, T)  \
  BOTH(LATER_FETCH_UPDATE, name, atomic_fetch_xor_nbi, T)
// The deprecated names.
#define OLD(form, name, old, operation, ...) \
  form(shmem_##name##_##old, shmem_##operation, __VA_ARGS__, NO_CTX, NO_CTX, kDefaultContext)
#define OLD_AMO_TYPE(name, T)                        \
  OLD(INC, name, inc, atomic_inc, T)                 \
  OLD(UPDATE, name, add, atomic_add, T)              \
  OLD(FETCH, name, finc, atomic_fetch_inc, T, )      \
  OLD(FETCH_UPDATE, name, fadd, atomic_fetch_add, T) \
  OLD(COMPARE_SWAP, name, cswap, atomic_compare_swap, T)
#define OLD_EXTENDED_AMO_TYPE(name, T)            \
  OLD(FETCH, name, fetch, atomic_fetch, T, const) \
  OLD(UPDATE, name, set, atomic_set, T)           \
  OLD(FETCH_UPDATE, name, swap, atomic_swap, T)
#include "frontend/shmem/types.def"

// The PE's own signal word.
SHMEM_ENTRY std::uint64_t shmem_signal_fetch(const std::uint64_t* word) {
  std::uint64_t result = 0;
  ATOMIC(shmem_signal_fetch, std::uint64_t, kDefaultContext, word, own_pe(),
         result = SHMEM_REAL(shmem_signal_fetch)(word), .result = &result);
  return result;
}

#undef ATOMIC
#undef INC
#undef UPDATE
#undef FETCH
#undef FETCH_UPDATE
#undef COMPARE_SWAP
#undef LATER_FETCH
#undef LATER_FETCH_UPDATE
#undef LATER_COMPARE_SWAP
#undef NO_CTX
#undef CTX_PARAMETER
#undef CTX_ARGUMENT
#undef BOTH
#undef OLD

}  // namespace photofinish::shmem
