#include "frontend/call_table.h"

#include <array>
#include <unordered_map>

namespace photofinish {
namespace {

constexpr std::array<CallTraits, kCallCount> kTraits = {{
#define CALL(name, action, when, ...) {#name, Action::action, When::when},
#include "model/program_calls.def"
#define CALL(name, action, when, ...) {#name, Action::action, When::when},
#include "frontend/mpi/table/calls.def"
#define CALL(name, action, when, ...) {#name, Action::action, When::when},
#include "frontend/mpi/table/other_calls.def"
#define CALL(name, action, when, ...) {#name, Action::action, When::when},
#include "frontend/shmem/table/calls.def"
#define CALL(name, action, when, ...) {#name, Action::action, When::when},
#include "frontend/upc/table/calls.def"
#define CALL(name, action, when, ...) {#name, Action::action, When::when},
#include "frontend/caf/table/calls.def"
}};

constexpr std::string_view kRoles[] = {
#define CALL(name, action, when, ...) #__VA_ARGS__,
#include "model/program_calls.def"
#define CALL(name, action, when, ...) #__VA_ARGS__,
#include "frontend/mpi/table/calls.def"
#define CALL(name, action, when, ...) #__VA_ARGS__,
#include "frontend/mpi/table/other_calls.def"
#define CALL(name, action, when, ...) #__VA_ARGS__,
#include "frontend/shmem/table/calls.def"
#define CALL(name, action, when, ...) #__VA_ARGS__,
#include "frontend/upc/table/calls.def"
#define CALL(name, action, when, ...) #__VA_ARGS__,
#include "frontend/caf/table/calls.def"
};
static_assert(std::size(kRoles) == kCallCount);

constexpr std::string_view kActionNames[] = {
#define ACTION(name) #name,
#include "model/actions.def"
};

}  // namespace

std::size_t call_count() { return kCallCount; }

std::string_view argument_roles(Call call) { return kRoles[static_cast<std::size_t>(call)]; }

const CallTraits& traits(Call call) { return kTraits[static_cast<std::size_t>(call)]; }

std::optional<Call> call_by_name(std::string_view name) {
  static const auto* const calls = [] {
    auto* map = new std::unordered_map<std::string_view, Call>;
    for (std::size_t i = 0; i < kCallCount; ++i)
      map->emplace(kTraits[i].name, static_cast<Call>(i));
    return map;
  }();
  const auto found = calls->find(name);
  if (found == calls->end()) return std::nullopt;
  return found->second;
}

std::string_view action_name(Action action) {
  return kActionNames[static_cast<std::size_t>(action)];
}

}  // namespace photofinish
