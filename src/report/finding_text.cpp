#include "report/finding_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>

#include "report/event_text.h"
#include "report/finding_words.h"

namespace photofinish {
namespace {

constexpr std::string_view kWarning = "\033[1;31m", kAccess = "\033[34m", kMemory = "\033[32m", kAdvice = "\033[1m", kPlain = "\033[0m";

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

std::string stack_lines(const FindingSide& side, RunNotes& notes) {
  std::string text;
  for (const std::string& frame : notes.site(side.rank, side.site).stack) text += "    " + frame + "\n";
  if (!text.empty()) return text;
  const std::string& trouble = notes.trouble(side.rank);
  return fmt::format("    (no stack{})\n", trouble.empty() ? "" : ": " + trouble);
}

// A compiler makes several instructions of one access (a vectorised loop and its remainder): for the reader it is one place.
std::vector<Finding> merge_by_place(std::vector<Finding> findings, RunNotes& notes) {
  for (Finding& finding : findings)
    for (FindingSide& side : finding.sides) {
      std::string place;
      for (const std::string& frame : notes.site(side.rank, side.site).stack) place += frame + "\n";
      if (!place.empty()) side.site_key = std::hash<std::string>()(place);
    }
  return merge_findings(std::move(findings));
}

bool write_whole(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

bool wants_colours(std::FILE* file) {
  const char* none = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(fileno(file)) == 1 && (none == nullptr || *none == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::string finding_block(const Finding& finding, std::size_t number, RunNotes& notes, bool colours) {
  const FindingWords words(finding, notes);
  const std::string times = finding.times == 1 ? "once" : fmt::format("{} times", finding.times);
  std::string text = "==================\n";
  text += painted(kWarning, fmt::format("WARNING: photofinish: {} [F{}] predicted · {} on {}", race_name(finding), number, times,
                                        ranks_of(finding.ranks)), colours) + "\n";
  for (const int side : {0, 1}) {
    const std::string headline = words.headline(side);
    text += "  " + painted(kAccess, side == 0 ? capitalised(headline) : "conflicts with " + headline, colours) + "\n";
    text += stack_lines(finding.sides[side], notes);
    if (const std::string epoch = words.epoch(side); !epoch.empty()) text += "    " + epoch + "\n";
  }
  if (const std::string memory = words.memory(); !memory.empty()) text += "  " + painted(kMemory, memory, colours) + "\n";
  text += "  " + words.why() + "\n";
  text += "  " + painted(kAdvice, words.advice(), colours) + "\n";
  return text;
}

std::string summary_line(const std::vector<Finding>& findings, const std::string& name, std::size_t shown) {
  std::string counts;
  for (const std::string_view kind : {"one-sided race", "buffer race"}) {
    const auto count = std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return race_name(f) == kind; });
    if (count > 0) counts += fmt::format("{}{} {}{}", counts.empty() ? "" : ", ", count, kind, count == 1 ? "" : "s");
  }
  if (counts.empty()) counts = "no findings";
  if (shown < findings.size()) counts += fmt::format(", the first {} shown", shown);
  return fmt::format("SUMMARY: photofinish: {} · run {}\n", counts, name);
}

Result<bool> print_report(std::FILE* file, const std::string& directory, const ReportOptions& options) {
  const std::string& name = options.name.empty() ? directory : options.name;
  auto run = read_findings(directory);
  if (!run) return run.error();
  if (!run->analysed) return Error{fmt::format("{} was never analysed: photofinish analyze {} does it", name, name)};

  RunNotes notes(directory, run->findings);
  run->findings = merge_by_place(std::move(run->findings), notes);
  const std::size_t all = run->findings.size();
  const std::size_t shown = options.max_findings == 0 ? all : std::min(all, options.max_findings);
  std::fflush(file);
  bool written = true;
  for (std::size_t i = 0; i < shown && written; ++i)
    written = write_whole(fileno(file), finding_block(run->findings[i], i + 1, notes, options.colours));
  std::string end;
  if (shown > 0) end += "==================\n";
  if (!run->missing.empty())
    end += fmt::format("NOTE: photofinish: {} left no findings, so that races in {} memory may be missing · photofinish analyze {}\n",
                       ranks_of({run->missing.begin(), run->missing.end()}), run->missing.size() == 1 ? "its" : "their", name);
  end += summary_line(run->findings, name, shown);
  if (!written || !write_whole(fileno(file), end)) return Error{fmt::format("cannot write the report: {}", std::strerror(errno))};
  return all > 0;
}

}  // namespace photofinish
