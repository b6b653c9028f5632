#include "report/finding_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "report/block.h"
#include "report/confirmation_text.h"
#include "report/finding_words.h"
#include "report/message_text.h"
#include "report/sampling_text.h"
#include "trace/confirmations_file.h"

namespace photofinish {
namespace {

// A compiler makes several instructions of one access (a vectorised loop and its remainder): for the reader it is one place.
std::vector<Finding> merge_by_place(std::vector<Finding> findings, RunNotes& notes) {
  for (Finding& finding : findings)
    for (FindingSide& side : finding.sides) side.site_key = notes.key_as_read(side.rank, side.site, side.site_key);
  return merge_findings(std::move(findings));
}

// Races that the program declares intended, out of the list, as one line: how many, and the reasons.
class Intended {
 public:
  explicit Intended(RunNotes& notes) : notes_(notes) {}

  template <class AnyFinding>
  void take_from(std::vector<AnyFinding>& findings) {
    std::erase_if(findings, [&](const AnyFinding& finding) {
      if (!is_intended(finding)) return false;
      add(finding);
      return true;
    });
  }
  std::string line() const {
    if (count_ == 0) return "";
    return fmt::format("NOTE: photofinish: {} declared intended: {}\n", count_ == 1 ? "1 race was" : fmt::format("{} races were", count_), fmt::join(reasons_, "; "));
  }

 private:
  void add(const Finding& finding) {
    const FindingSide& side = finding.sides[is_intended(finding.sides[0].site_key) ? 0 : 1];
    add(notes_.scopes(side.rank, side.site, side.site_key));
  }
  void add(const MessageFinding& finding) { add(notes_.scopes(finding.receive.rank, finding.receive.site, finding.receive.site_key)); }
  void add(const ScopeNotes& notes) {
    ++count_;
    reasons_.insert(fmt::format("\"{}\"{}{}", notes.why, notes.declared_at.empty() ? "" : " at ", notes.declared_at));
  }

  RunNotes& notes_;
  std::size_t count_ = 0;
  std::set<std::string> reasons_;
};

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

NumberedFindings number_findings(RunFindings run, RunNotes& notes) {
  NumberedFindings numbered{.in_memory = merge_by_place(std::move(run.findings), notes), .all_messages = run.messages.value_or(MessageFindings{})};
  numbered.all_messages.races = merge_by_place(std::move(numbered.all_messages.races), notes);
  numbered.messages = numbered.all_messages.races;
  numbered.races_with_intended = numbered.in_memory.size();
  Intended intended(notes);
  intended.take_from(numbered.in_memory);
  intended.take_from(numbered.messages);
  numbered.intended = intended.line();
  return numbered;
}

std::string finding_block(const Finding& finding, std::size_t number, RunNotes& notes, bool colours, const Confirmation* confirmation) {
  const FindingWords words(finding, notes);
  std::string text = "==================\n";
  text += painted(kWarning, fmt::format("WARNING: photofinish: {} [F{}] {} · {} on {}", race_name(finding), number, state_text(confirmation), times_text(finding.times),
                                        ranks_of(finding.ranks)), colours) + "\n";
  for (const int side : {0, 1}) {
    const std::string headline = words.headline(side);
    text += "  " + painted(kAccess, side == 0 ? capitalised(headline) : "conflicts with " + headline, colours) + "\n";
    const FindingSide& told = finding.sides[side];
    text += stack_lines(told.rank, told.site, notes) + region_line(told.rank, told.site, told.site_key, notes);
    if (const std::string epoch = words.epoch(side); !epoch.empty()) text += "    " + epoch + "\n";
  }
  if (const std::string memory = words.memory(); !memory.empty()) text += "  " + painted(kMemory, memory, colours) + "\n";
  text += "  " + words.why() + "\n";
  text += "  " + painted(kAdvice, words.advice(), colours) + "\n";
  return text;
}

std::string summary_line(const std::vector<Finding>& findings, std::size_t message_races, std::size_t deadlocks, const std::string& name, std::size_t shown) {
  std::string counts;
  for (const std::string_view kind : {"one-sided race", "buffer race"}) {
    const auto count = std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return race_name(f) == kind; });
    if (count > 0) counts += fmt::format("{}{} {}{}", counts.empty() ? "" : ", ", count, kind, count == 1 ? "" : "s");
  }
  if (message_races > 0) counts += fmt::format("{}{} message race{}", counts.empty() ? "" : ", ", message_races, message_races == 1 ? "" : "s");
  if (deadlocks > 0) counts += fmt::format("{}{} deadlock{}", counts.empty() ? "" : ", ", deadlocks, deadlocks == 1 ? "" : "s");
  if (counts.empty()) counts = "no findings";
  if (shown < findings.size() + message_races) counts += fmt::format(", the first {} shown", shown);
  return fmt::format("SUMMARY: photofinish: {} · run {}\n", counts, name);
}

Result<bool> print_report(std::FILE* file, const std::string& directory, const ReportOptions& options) {
  const std::string& name = options.name.empty() ? directory : options.name;
  auto run = read_findings(directory);
  if (!run) return run.error();
  if (!run->analysed) return Error{fmt::format("{} was never analysed: photofinish analyze {} does it", name, name)};

  const auto confirmations = read_confirmations(directory);
  if (!confirmations) return confirmations.error();
  const bool looked_at_messages = run->messages.has_value();
  const std::vector<WorldRank> missing = run->missing;
  RunNotes notes(directory, run->findings, run->messages.value_or(MessageFindings{}));
  const NumberedFindings numbered = number_findings(std::move(*run), notes);
  // What is intended makes a run no more repeatable.
  const std::string last_words = looked_at_messages ? verdicts(numbered.all_messages, numbered.races_with_intended, notes) : "";
  const std::vector<Standstill>& standstills = numbered.all_messages.standstills;
  const std::size_t in_memory = numbered.in_memory.size(), all = numbered.size();
  const std::size_t shown = options.max_findings == 0 ? all : std::min(all, options.max_findings);
  const auto block = [&](std::size_t i) {
    const Confirmation* confirmation = find_confirmation(*confirmations, i < in_memory ? key_of(numbered.in_memory[i]) : key_of(numbered.messages[i - in_memory]));
    std::string text = i < in_memory ? finding_block(numbered.in_memory[i], i + 1, notes, options.colours, confirmation)
                                     : message_block(numbered.messages[i - in_memory], i + 1, notes, options.colours, confirmation);
    return confirmation != nullptr ? text + confirmation_lines(*confirmation, i + 1, name) : text;
  };
  std::fflush(file);
  bool written = true;
  for (std::size_t i = 0; i < shown && written; ++i)
    written = write_whole(fileno(file), block(i));
  for (std::size_t i = 0; i < standstills.size() && written; ++i)
    written = write_whole(fileno(file), standstill_block(standstills[i], notes, options.colours));
  std::string end;
  if (shown + standstills.size() > 0) end += "==================\n";
  if (!missing.empty())
    end += fmt::format("NOTE: photofinish: {} left no findings, so that races in {} memory may be missing · photofinish analyze {}\n",
                       ranks_of({missing.begin(), missing.end()}), missing.size() == 1 ? "its" : "their", name);
  end += sampling_lines(read_sampling(directory)) + numbered.intended + last_words;
  const auto deadlocks = std::count_if(standstills.begin(), standstills.end(), [](const Standstill& one) { return one.came_about; });
  end += summary_line(numbered.in_memory, numbered.messages.size(), static_cast<std::size_t>(deadlocks), name, shown);
  if (!written || !write_whole(fileno(file), end)) return Error{fmt::format("cannot write the report: {}", std::strerror(errno))};
  return all > 0;
}

}  // namespace photofinish
