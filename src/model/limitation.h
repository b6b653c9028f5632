// A limitation: a way in which the analysis of a run is incomplete. The list of limitations is part
// of the result. All report formats and the exit code use the same list (report/coverage.h).
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
  std::string brief;  // for the summary line; empty: another limitation there covers it
  std::string text;   // what happened, what it means, what to do
};

std::string_view limitation_id(LimitationKind kind);  // "recording-stopped": stable
// An unexpected limitation changes exit code 0 to 67. The others are options of the user, or known
// properties of the build.
bool is_unexpected(LimitationKind kind);

}  // namespace photofinish
