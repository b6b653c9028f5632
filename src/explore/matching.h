// What the choices of a run were: the message that each wildcard receive or probe of a rank
// matched, and the rank whose operation each shared object served next.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "model/ids.h"

namespace photofinish {

// A rank, or a shared object: window memory that atomic operations access, or a window lock. Equal
// in all runs of a program.
using Line = std::uint64_t;
inline constexpr Line kObjectLine = Line{1} << 63;
inline bool is_object(Line line) { return (line & kObjectLine) != 0; }

struct Match {
  WorldRank source = kAnySource;  // kAnySource: not prescribed; kProcNull: it matched nothing
  std::int64_t tag = kAnyTag;
  auto operator<=>(const Match&) const = default;
};

// By line, in the order in which its choices were reached. Of a run, or prescribed for one.
using Matching = std::map<Line, std::vector<Match>>;

// Whether the run made every choice that is prescribed.
bool follows(const Matching& run, const Matching& prescribed);
// Whether no run can follow both: they prescribe different matches for some choice.
bool exclude_each_other(const Matching& one, const Matching& other);

}  // namespace photofinish
