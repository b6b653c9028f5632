// Building blocks of the text report.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.h"
#include "symbols/symbolizer.h"

namespace photofinish {

inline constexpr std::string_view kWarning = "\033[1;31m", kAccess = "\033[34m",
                                  kMemory = "\033[32m", kAdvice = "\033[1m", kPlain = "\033[0m";

std::string painted(std::string_view color, const std::string& text, bool colors);
std::string capitalised(std::string text);
// "rank 3", "ranks 0-3"; `process`: what the programming model calls one.
std::string ranks_of(const std::set<WorldRank>& ranks, std::string_view process = "rank");
std::string instances_text(std::uint64_t times);  // "1 instance"
std::string times_text(std::uint64_t times);      // "once", "3 times"
// The stack, one line for each frame, or why there is none. `source`: the source line of the
// leading frame, printed below it; may be empty.
std::string stack_lines(const std::vector<Frame>& stack, const std::string& no_stack,
                        const std::string& source);
// The regions of the program's annotations that contain the access; empty if none.
std::string region_line(const std::vector<std::string>& regions);

}  // namespace photofinish
