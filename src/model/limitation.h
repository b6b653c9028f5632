// One way in which the tool saw less of a run than all of it. The list of them is part of the
// result: every report format and the exit code come from the same list (report/coverage.h).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "model/ids.h"

namespace photofinish {

enum class LimitationKind : std::uint8_t {
#define LIMITATION(kind, id, unexpected) kind,
#include "model/limitations.def"
};

struct Limitation {
  LimitationKind kind{};
  std::set<WorldRank> ranks;
  std::string brief;  // for the summary line; empty: another limitation there says enough
  std::string text;   // what happened, what it means, what to do
};

std::string_view limitation_id(LimitationKind kind);  // "recording-stopped": never changes
// Unexpected ones change exit code 0 to 67. The others are what the user asked for, or a known
// property of the build.
bool is_unexpected(LimitationKind kind);

}  // namespace photofinish
