#include "report/block.h"

#include <fmt/format.h>

#include <cctype>

#include "report/event_text.h"
#include "report/site_text.h"

namespace photofinish {

std::string painted(std::string_view color, const std::string& text, bool colors) {
  return colors ? fmt::format("{}{}{}", color, text, kPlain) : text;
}

std::string capitalised(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string ranks_of(const std::set<WorldRank>& ranks, std::string_view process) {
  std::vector<WorldRank> numbers(ranks.begin(), ranks.end());
  if (process == "image")  // counted from 1
    for (WorldRank& number : numbers) number = WorldRank(number.value + 1);
  return fmt::format("{}{} {}", process, numbers.size() == 1 ? "" : "s", rank_ranges(numbers));
}

std::string instances_text(std::uint64_t times) {
  return fmt::format("{} instance{}", times, times == 1 ? "" : "s");
}

std::string times_text(std::uint64_t times) {
  return times == 1 ? "once" : fmt::format("{} times", times);
}

std::string stack_lines(const std::vector<Frame>& stack, const std::string& no_stack,
                        const std::string& source) {
  std::string text;
  const Frame* const leading = source.empty() ? nullptr : leading_frame(stack);
  const std::string with_source =
      leading == nullptr ? ""
                         : numbered_frames(stack)[static_cast<std::size_t>(leading - stack.data())];
  for (const std::string& frame : folded_frames(stack)) {
    text += "    " + frame + "\n";
    if (!with_source.empty() && frame == with_source)
      text += fmt::format("      {} | {}\n", leading->line, source);
  }
  return !text.empty() ? text
                       : fmt::format("    (no stack{})\n", no_stack.empty() ? "" : ": " + no_stack);
}

std::string region_line(const std::vector<std::string>& regions) {
  std::string names;
  for (const std::string& region : regions)
    names += fmt::format("{}\"{}\"", names.empty() ? "" : " > ", region);
  return names.empty() ? "" : fmt::format("    in region {}\n", names);
}

}  // namespace photofinish
