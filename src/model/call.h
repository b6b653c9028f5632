// The calls that create events, and the traits of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace photofinish {

enum class Action : std::uint8_t {
#define ACTION(name) name,
#include "model/actions.def"
};

enum class When : std::uint8_t { Blocks, Returns, Starts, Prepares, Consumes };

// Numbered by row. The number is never stored: a trace names its calls.
enum class Call : std::uint16_t {
#define CALL(name, ...) name,
#include "model/mpi_calls.def"
#define CALL(name, ...) name,
#include "model/access_calls.def"
  kCount
};
inline constexpr std::size_t kCallCount = static_cast<std::size_t>(Call::kCount);

struct CallTraits {
  std::string_view name;
  Action action;
  When when;
};

// Whether the call involves no other process.
constexpr bool is_local(Action action) {
  switch (action) {
    case Action::Init:
    case Action::Finalize:
    case Action::Abort:
    case Action::SessionInit:
    case Action::SessionFinalize:
    case Action::TypeCreate:
    case Action::TypeCommit:
    case Action::TypeFree:
    case Action::OpCreate:
    case Action::OpFree:
    case Action::ReduceLocal:
    case Action::Pack:
    case Action::Unpack:
    case Action::MemoryAllocate:
    case Action::MemoryFree:
    case Action::BufferAttach:
    case Action::BufferDetach:
    case Action::SetName:
      return true;
    default:
      return false;
  }
}

// Calls that are recorded each time, with a number, so that "after the 17th" identifies one. Tests
// and probes that find nothing are not.
constexpr bool is_step(Action action, When when) {
  switch (action) {
    case Action::Put:
    case Action::Get:
    case Action::Accumulate:
    case Action::GetAccumulate:
    case Action::FetchAndOp:
    case Action::CompareAndSwap:
      return true;
    default:
      return when == When::Blocks && !is_local(action);
  }
}

// An atomic with a result.
constexpr bool is_fetch(Action action) {
  return action == Action::GetAccumulate || action == Action::FetchAndOp ||
         action == Action::CompareAndSwap;
}

const CallTraits& traits(Call call);
std::optional<Call> call_by_name(std::string_view name);
std::string_view action_name(Action action);

}  // namespace photofinish
