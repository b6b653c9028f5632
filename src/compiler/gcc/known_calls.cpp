// Limits. These accesses are missed: strings and outputs of formats, and what scanf stores; the
// text of numbers beyond the first byte; vectors of buffers (readv).
#include "compiler/gcc/known_calls.h"

#include <unordered_map>

#include "compiler/gcc/known_call_words.h"

namespace photofinish::gcc {
namespace {

constexpr KnownCall kKnownCalls[] = {
#define LIBC(name, ...) {#name, {__VA_ARGS__}},
#define GFORTRAN(name, ...) {"_gfortran_" #name, {__VA_ARGS__}},
#include "compiler/gcc/gfortran_calls.def"
#include "compiler/libc_calls.def"
#undef LIBC
#undef GFORTRAN
};

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
