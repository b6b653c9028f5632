// Atomics. Each has a number and its operand; one that fetches also its result, which tells whose
// update it read.
#include <unordered_map>

#include "frontend/upc/explored.h"
#include "frontend/upc/interception.h"
#include "upc_runtime/operations.h"

namespace photofinish::upc {
namespace {

struct Domain {
  std::size_t bytes = 8;
  bool has_values = false;  // the owner can compute with its type
};

// By the pointer that names a domain.
std::unordered_map<Typed, Domain>& domains() {
  static auto* const all = new std::unordered_map<Typed, Domain>;
  return *all;
}

// The types of include/photofinish/upc/upc_types.h that have atomics.
Domain domain_of(int type) {
  switch (type) {
    case 5:
    case 6:
    case 15:
    case 16:
      return {.bytes = 4, .has_values = true};
    case 19:
      return {.bytes = 4};
    case 20:
      return {};
    default:
      return {.bytes = 8, .has_values = true};
  }
}

struct Atomic {
  Typed domain;
  const void* fetched;
  int operation;
  Position target;
  const void *operand1, *operand2;
};

// The value that is set, compared, added or combined.
void add_operands(Context& c, const Atomic& a, std::size_t bytes) {
  FieldSet& fields = c.event.fields;
  fields.set(Field::value, a.operation);
  const auto bits = [&](const void* operand) {
    return operand != nullptr ? static_cast<std::int64_t>(bits_of(operand, bytes)) : 0;
  };
  switch (a.operation) {
    case kSwap:
      fields.set(Field::compare, bits(a.operand1));
      fields.set(Field::operand, bits(a.operand2));
      return;
    case kInc:
      fields.set(Field::operand, 1);
      return;
    case kDec:
      fields.set(Field::operand, -1);
      return;
    case kSub:
      fields.set(Field::operand, -bits(a.operand1));
      return;
    default:
      fields.set(Field::operand, bits(a.operand1));
  }
}

Domain domain_of(const Atomic& a) {
  const auto found = domains().find(a.domain);
  return found != domains().end() ? found->second : Domain{};
}

explored::Atomic ordered(const Atomic& a) {
  return {a.target, domain_of(a).bytes, a.operation, a.fetched, a.operand1, a.operand2};
}

void describe(Context& c, const Atomic& a) {
  const Domain domain = domain_of(a);
  add_target(c, BufferUse::TargetUpdate, a.target, domain.bytes);
  add_operands(c, a, domain.bytes);
  // An update of a type without values is no value that others can be found to have read.
  if (!domain.has_values) return;
  const std::int64_t number = next_atomic();
  c.event.fields.set(Field::atomic, number);
  if (a.fetched != nullptr)
    c.event.numbers = {number, static_cast<std::int64_t>(bits_of(a.fetched, domain.bytes))};
}

}  // namespace

UPC_ENTRY Typed upc_all_atomicdomain_alloc(int type, int operations, int hints) {
  Interception call(CALL_SITE);
  Typed domain = 0;
  call.waiting(
      UpcCall::upc_all_atomicdomain_alloc, kNothing,
      [&] { domain = UPC_REAL(upc_all_atomicdomain_alloc)(type, operations, hints); }, kNothing);
  domains()[domain] = domain_of(type);
  return domain;
}

UPC_ENTRY void upc_all_atomicdomain_free(Typed domain) {
  Interception call(CALL_SITE);
  call.waiting(
      UpcCall::upc_all_atomicdomain_free, kNothing,
      [&] { UPC_REAL(upc_all_atomicdomain_free)(domain); }, kNothing);
}

UPC_ENTRY void upc_atomic_relaxed(Typed domain, void* fetched, int operation, Generic target,
                                  const void* operand1, const void* operand2) {
  Interception call(CALL_SITE);
  call.returning(
      UpcCall::upc_atomic_relaxed,
      [&] {
        explored::update(
            call, UpcCall::upc_atomic_relaxed,
            ordered({domain, fetched, operation, position_of(target), operand1, operand2}), [&] {
              UPC_REAL(upc_atomic_relaxed)(domain, fetched, operation, target, operand1, operand2);
            });
      },
      [&](Context& c) {
        describe(c, {domain, fetched, operation, position_of(target), operand1, operand2});
      });
}

UPC_ENTRY void upc_atomic_strict(Typed domain, void* fetched, int operation, Generic target,
                                 const void* operand1, const void* operand2) {
  Interception call(CALL_SITE);
  call.returning(
      UpcCall::upc_atomic_strict,
      [&] {
        explored::update(
            call, UpcCall::upc_atomic_strict,
            ordered({domain, fetched, operation, position_of(target), operand1, operand2}), [&] {
              UPC_REAL(upc_atomic_strict)(domain, fetched, operation, target, operand1, operand2);
            });
      },
      [&](Context& c) {
        describe(c, {domain, fetched, operation, position_of(target), operand1, operand2});
      });
}

}  // namespace photofinish::upc
