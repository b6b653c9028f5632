// Limits. These accesses are missed: strings and outputs of formats, and what scanf stores; the
// text of numbers beyond the first byte; vectors of buffers (readv).
#include "compiler/gcc/known_calls.h"

#include <unordered_map>

namespace photofinish::gcc {
namespace {

#define R(pointer, extent) {Use::Read, pointer, extent}
#define W(pointer, extent) {Use::Write, pointer, extent}
#define W_BEHIND(pointer, extent) {Use::WriteBehind, pointer, extent}
#define FREES(pointer)     \
  {                        \
    Use::Free, pointer, {} \
  }
#define FREES_BYTES(pointer, n)                   \
  {                                               \
    Use::FreeBytes, pointer, { Extent::Bytes, n } \
  }
#define PRINTS(n)     \
  {                   \
    Use::Print, n, {} \
  }
#define SCANS(n)     \
  {                  \
    Use::Scan, n, {} \
  }
#define CALLS_BACK(n)    \
  {                      \
    Use::CallBack, n, {} \
  }
#define NONE \
  {          \
  }
#define BYTES(n) {Extent::Bytes, n}
#define PRODUCT(n, m) {Extent::Bytes, n, m}
#define FIRST {Extent::Bytes, kOne}
#define STRING(n) {Extent::String, n, n}
#define STRING_UP_TO(n, limit) {Extent::String, n, n, limit}
#define COMMON(n, m) {Extent::String, n, m}
#define COMMON_UP_TO(n, m, limit) {Extent::String, n, m, limit}
#define RETURNED {Extent::Returned, kResult}
#define RETURNED_TIMES(n) {Extent::Returned, kResult, n}
#define FOUND(n) {Extent::Found, kResult, n}
#define FOUND_UP_TO(n, limit) {Extent::Found, kResult, n, limit}
#define RETURNED_STRING {Extent::ReturnedString, kResult}
#define PRINTED {Extent::Printed, kResult}
#define PRINTED_UP_TO(limit) {Extent::Printed, kResult, limit}
#define ARRAY {Extent::Array, kOne}
#define ARRAY_THEN {Extent::ArrayThen, kOne}
#define EXACTLY(n) {Extent::Bytes, kExactly + (n)}
constexpr KnownCall kKnownCalls[] = {
#define LIBC(name, ...) {#name, {__VA_ARGS__}},
#define GFORTRAN(name, ...) {"_gfortran_" #name, {__VA_ARGS__}},
#include "compiler/gcc/gfortran_calls.def"
#include "compiler/libc_calls.def"
#undef LIBC
#undef GFORTRAN
};
#undef R
#undef W
#undef NONE

const KnownCall* find(std::string_view name) {
  static const auto* const kByName = [] {
    auto* all = new std::unordered_map<std::string_view, const KnownCall*>;
    for (const KnownCall& call : kKnownCalls) all->emplace(call.name, &call);
    return all;
  }();
  const auto found = kByName->find(name);
  return found != kByName->end() ? found->second : nullptr;
}

}  // namespace

const KnownCall* find_known_call(std::string_view name) {
  if (const KnownCall* known = find(name)) return known;
  if (begins(name, "_gfortran_")) {  // one variant for each type, as _r8
    const std::size_t type = name.rfind('_');
    return type != std::string_view::npos ? find(name.substr(0, type)) : nullptr;
  }
  if (begins(name, "__isoc99_") || begins(name, "__isoc23_")) return find(name.substr(9));
  if (begins(name, "__") && ends(name, "_chk")) return find(name.substr(2, name.size() - 6));
  return nullptr;
}

bool is_quiet_name(std::string_view name) {
  if (begins(name, "_gfortran_")) return !begins(name, "_gfortran_caf_");
  static constexpr std::string_view kNames[] = {
#define QUIET(name) #name,
#include "compiler/quiet_calls.def"
#undef QUIET
  };
  for (const std::string_view known : kNames)
    if (name == known) return true;
  return false;
}

}  // namespace photofinish::gcc
