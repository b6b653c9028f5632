// Defines which synchronization call completes which one-sided operations. The analysis, the
// recorder and the page marks for loads and stores all use this table.
//
//   call                            operations on   buffers free   target settled   at
//   MPI_Win_flush                   one target      yes            yes              return
//   MPI_Win_flush_local             one target      yes            no               return
//   MPI_Win_unlock                  one target      yes            yes              return
//   ..._all                         all targets     the same
//   MPI_Win_fence                   all targets     yes            yes              start
//   MPI_Win_fence, NOPRECEDE        none
//   MPI_Win_complete                started ones    yes            by the owner     return
//
// A fence ends the epoch for all threads of the rank, so it also completes their operations.
#pragma once

#include <cstdint>
#include <optional>

#include "effects/effects.h"
#include "model/event.h"

namespace photofinish::mpi_meaning {

struct CompletionRule {
  enum class Targets : std::uint8_t { One, All, Started };
  Targets targets = Targets::All;
  Completeness completeness = Completeness::Remote;
  At at = At::Return;
  bool of_all_tasks = false;
};

constexpr std::optional<CompletionRule> completion_of(Action action, std::int64_t assertion) {
  using Targets = CompletionRule::Targets;
  switch (action) {
    case Action::Flush:
    case Action::Unlock:
      return CompletionRule{.targets = Targets::One};
    case Action::FlushLocal:
      return CompletionRule{.targets = Targets::One, .completeness = Completeness::Local};
    case Action::FlushAll:
    case Action::UnlockAll:
      return CompletionRule{};
    case Action::FlushLocalAll:
      return CompletionRule{.completeness = Completeness::Local};
    case Action::Fence:
      if ((assertion & kNoPrecede) != 0) return std::nullopt;
      return CompletionRule{.at = At::Start, .of_all_tasks = true};
    case Action::Complete:
      return CompletionRule{.targets = Targets::Started, .completeness = Completeness::Local};
    default:
      return std::nullopt;
  }
}

inline std::optional<CompletionRule> completion_of(const Event& event) {
  return completion_of(traits(event.call).action, event.fields.has(Field::assertion)
                                                      ? event.fields[Field::assertion]
                                                      : std::int64_t{0});
}

// Whether calls with this action complete operations at all, whatever their assertion.
constexpr bool may_complete(Action action) { return completion_of(action, 0).has_value(); }

}  // namespace photofinish::mpi_meaning
