#include "report/block.h"

#include <fmt/format.h>

#include <cctype>

#include "report/event_text.h"

namespace photofinish {

std::string painted(std::string_view colour, const std::string& text, bool colours) {
  return colours ? fmt::format("{}{}{}", colour, text, kPlain) : text;
}

std::string capitalised(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string ranks_of(const std::set<WorldRank>& ranks) {
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", rank_ranges({ranks.begin(), ranks.end()}));
}

std::string times_text(std::uint64_t times) { return times == 1 ? "once" : fmt::format("{} times", times); }

std::string stack_lines(WorldRank rank, SiteId site, RunNotes& notes) {
  std::string text;
  for (const std::string& frame : notes.site(rank, site).stack) text += "    " + frame + "\n";
  if (!text.empty()) return text;
  const std::string& trouble = notes.trouble(rank);
  return fmt::format("    (no stack{})\n", trouble.empty() ? "" : ": " + trouble);
}

std::string region_line(WorldRank rank, SiteId site, std::uint64_t site_key, RunNotes& notes) {
  std::string names;
  for (const std::string& region : notes.scopes(rank, site, site_key).regions) names += fmt::format("{}\"{}\"", names.empty() ? "" : " > ", region);
  return names.empty() ? "" : fmt::format("    in region {}\n", names);
}

}  // namespace photofinish
