// The calls that create events, and the traits of each. Here are only those of the program itself;
// each front end has a table of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace photofinish {

enum class Action : std::uint8_t {
#define ACTION(name) name,
#include "model/actions.def"
};

enum class When : std::uint8_t { Blocks, Returns, Starts, Prepares, Consumes };

// Numbered by row. A trace names its calls, so their numbers may change.
enum class Call : std::uint16_t {
#define CALL(name, ...) name,
#include "model/program_calls.def"
  kProgramCalls  // the first number of the front ends
};
// For a switch over calls of a front end, which are no enumerators.
constexpr std::uint16_t value_of(Call call) { return static_cast<std::uint16_t>(call); }
// Loads, stores, annotations, and synchronization of threads.
constexpr bool is_program(Call call) { return call < Call::kProgramCalls; }

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
    case Action::ContextCreate:
      return true;
    default:
      return false;
  }
}

// Collective calls that transfer data of the program.
constexpr bool is_data_collective(Action action) {
  switch (action) {
    case Action::Bcast:
    case Action::Gather:
    case Action::Scatter:
    case Action::Allgather:
    case Action::Alltoall:
    case Action::Reduce:
    case Action::Allreduce:
    case Action::ReduceScatter:
    case Action::Scan:
    case Action::Exscan:
    case Action::NeighborAllgather:
    case Action::NeighborAlltoall:
      return true;
    default:
      return false;
  }
}

// Whether all ranks of a communicator or window make the call.
constexpr bool is_collective(Action action) {
  return is_data_collective(action) || action == Action::Barrier || action == Action::CommCreate ||
         action == Action::WinCreate || action == Action::WinFree || action == Action::Fence;
}

// Calls that are recorded each time, with a number, so that "after the 17th" identifies one. Tests
// and probes that find nothing are not.
constexpr bool is_step(Action action, When when) {
  switch (action) {
    case Action::Put:
    case Action::PutSignal:
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

// Of the program and of all front ends (frontend/call_table.cpp).
const CallTraits& traits(Call call);
std::size_t call_count();
std::optional<Call> call_by_name(std::string_view name);
std::string_view action_name(Action action);

}  // namespace photofinish
