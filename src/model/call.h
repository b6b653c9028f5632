// The calls that make events, and what each does.
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

// Numbered by row. Never stored as a number: a trace names the calls it uses.
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

const CallTraits& traits(Call call);
std::optional<Call> call_by_name(std::string_view name);
std::string_view action_name(Action action);

}  // namespace photofinish
