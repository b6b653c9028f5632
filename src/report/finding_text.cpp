#include "report/finding_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/printable.h"
#include "report/block.h"
#include "report/confirmation_text.h"
#include "report/coverage.h"
#include "report/describe.h"
#include "report/event_text.h"
#include "report/files.h"
#include "report/site_text.h"

namespace photofinish {
namespace {

constexpr std::string_view kRule = "==================\n";

struct GroupName {
  std::string_view name;
  GroupBy by;
};
constexpr GroupName kGroups[] = {{"none", GroupBy::None},   {"kind", GroupBy::Kind},
                                 {"file", GroupBy::File},   {"window", GroupBy::Window},
                                 {"state", GroupBy::State}, {"rank", GroupBy::Rank}};

const Confirmation* confirmation_of(const FindingDocument& finding) {
  return finding.confirmation ? &*finding.confirmation : nullptr;
}

std::string group_of(const FindingDocument& finding, GroupBy by) {
  const auto named = [](const char* what, const std::string& name) {
    return name.empty() ? fmt::format("no {}", what) : fmt::format("{} {}", what, name);
  };
  const bool has_where = !finding.ends.empty() && !finding.ends.front().stack.empty();
  switch (by) {
    case GroupBy::None:
      break;
    case GroupBy::Kind:
      return std::string(kind_name(finding.kind)) + "s";
    case GroupBy::File:
      return named("file", has_where ? base_name(finding.ends.front().stack.front().file) : "");
    case GroupBy::Window:
      return named("window", finding.memory ? finding.memory->window : "");
    case GroupBy::State:
      return state_text(confirmation_of(finding));
    case GroupBy::Rank:
      return ranks_of(finding.ranks, finding.process);
  }
  return "";
}

// Groups in the order of their first findings; findings in their own order.
std::vector<std::pair<std::string, std::vector<const FindingDocument*>>> grouped(
    const std::vector<const FindingDocument*>& findings, GroupBy by) {
  std::vector<std::pair<std::string, std::vector<const FindingDocument*>>> groups;
  for (const FindingDocument* finding : findings) {
    const std::string name = group_of(*finding, by);
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& group) { return group.first == name; });
    if (found != groups.end())
      found->second.push_back(finding);
    else
      groups.push_back({name, {finding}});
  }
  return groups;
}

}  // namespace

Result<GroupBy> group_by_of(std::string_view text) {
  for (const GroupName& group : kGroups)
    if (group.name == text) return group.by;
  return Error{
      fmt::format("option group_by: '{}' is not kind, file, window, state, rank or none", text)};
}

bool wants_colors(std::FILE* file) {
  const char* none = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(fileno(file)) == 1 && (none == nullptr || *none == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::string finding_block(const FindingDocument& finding, bool colors) {
  std::string text(kRule);
  text +=
      painted(kWarning,
              fmt::format("WARNING: photofinish: {} [F{}] {} · {} on {}", kind_name(finding.kind),
                          finding.number, state_text(confirmation_of(finding)),
                          instances_text(finding.times), ranks_of(finding.ranks, finding.process)),
              colors) +
      "\n";
  for (const EndDocument& end : finding.ends) {
    text += "  " + painted(kAccess, end.headline, colors) + "\n";
    if (!end.nothing)
      text += stack_lines(end.stack, end.no_stack, end.source) + region_line(end.regions);
    if (!end.epoch.empty()) text += "    " + end.epoch + "\n";
  }
  if (!finding.memory_text.empty())
    text += "  " + painted(kMemory, finding.memory_text, colors) + "\n";
  text += "  " + finding.why + "\n";
  text += "  " + painted(kAdvice, finding.advice, colors) + "\n";
  return text;
}

std::string finding_block(const Finding& finding, std::size_t number, RunNotes& notes, bool colors,
                          const Confirmation* confirmation) {
  return finding_block(describe_finding(finding, number, notes, confirmation), colors);
}

std::string deadlock_block(const DeadlockDocument& deadlock, bool colors) {
  std::string text(kRule);
  std::set<WorldRank> ranks;
  for (const DeadlockDocument::Wait& wait : deadlock.waits) ranks.insert(wait.rank);
  text +=
      deadlock.came_about
          ? painted(kWarning,
                    fmt::format("WARNING: photofinish: deadlock on {}: {} cannot return",
                                ranks_of(ranks), ranks.size() == 1 ? "this call" : "these calls"),
                    colors) +
                "\n"
          : painted(kAdvice,
                    fmt::format("NOTE: photofinish: deadlock if sends are not buffered · {}",
                                instances_text(deadlock.times)),
                    colors) +
                "\n";
  for (const DeadlockDocument::Wait& wait : deadlock.waits)
    text += "  " + painted(kAccess, wait.line, colors) + "\n" +
            stack_lines(wait.stack, wait.no_stack, wait.source);
  for (const std::string& remark : deadlock.remarks) text += "  " + remark + "\n";
  text += "  " + painted(kAdvice, deadlock.advice, colors) + "\n";
  return text;
}

std::string counts_text(const RunDocument& run) {
  std::string counts;
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count > 0)
      counts +=
          fmt::format("{}{} {}{}", counts.empty() ? "" : ", ", count, what, count == 1 ? "" : "s");
  };
  for (const FindingKind kind :
       {FindingKind::OneSidedRace, FindingKind::BufferRace, FindingKind::MessageRace})
    add(run.count(kind), kind_name(kind));
  add(run.deadlock_count(), "deadlock");
  return counts.empty() ? "no findings" : counts;
}

// A predicted deadlock is no finding, but "no findings" must not hide it.
std::string buffering_text(const RunDocument& run) {
  if (run.deadlock_count() > 0) return "";
  const auto shows = [&](bool confirmed) {
    return std::any_of(run.deadlocks.begin(), run.deadlocks.end(),
                       [&](const DeadlockDocument& one) {
                         return !one.came_about && one.certain &&
                                (confirmed ? one.confirmed == true : one.confirmed != false);
                       });
  };
  if (!shows(false)) return "";
  return fmt::format(
      "{} the run {}", run.counting() > 0 ? ", and" : ", but",
      shows(true) ? "deadlocks without send buffering (confirmed)" : "depends on send buffering");
}

std::string result_text(const RunDocument& run) {
  return counts_text(run) + coverage_text(run.limitations) + buffering_text(run);
}

std::string summary_line(const RunDocument& run, std::size_t shown) {
  std::string counts = counts_text(run);
  if (!run.baseline.empty() && run.counting() > 0) counts += " not in the baseline";
  if (run.known() > 0) counts += fmt::format(", {} known", run.known());
  if (run.suppressed() > 0) counts += fmt::format(", {} suppressed", run.suppressed());
  if (shown < run.counting()) counts += fmt::format(", the first {} shown", shown);
  return fmt::format("SUMMARY: photofinish: {}{}{} · in {}\n", counts,
                     coverage_text(run.limitations), buffering_text(run), run.name);
}

Result<bool> print_report(std::FILE* file, const RunDocument& run, const ReportOptions& options) {
  std::vector<const FindingDocument*> shown;
  for (const FindingDocument& finding : run.findings)
    if (!options.only.empty()) {
      if (options.only.contains(finding.number)) shown.push_back(&finding);
    } else if (finding.counts() &&
               (options.max_findings == 0 || shown.size() < options.max_findings)) {
      shown.push_back(&finding);
    }
  std::fflush(file);
  bool written = true;
  const auto write_block = [&](const std::string& text) {
    written = written && write_whole(fileno(file), text);
  };
  for (const auto& [name, findings] : grouped(shown, options.group_by)) {
    if (options.group_by != GroupBy::None)
      write_block(fmt::format("{}{}\n", kRule,
                              painted(kAdvice,
                                      fmt::format("{} · {} finding{}", name, findings.size(),
                                                  findings.size() == 1 ? "" : "s"),
                                      options.colors)));
    for (const FindingDocument* finding : findings)
      write_block(finding_block(*finding, options.colors) +
                  (finding->confirmation
                       ? confirmation_lines(*finding->confirmation, finding->number, run.name)
                       : ""));
  }
  std::string end;
  const auto finish = [&]() -> Result<bool> {
    write_block(end);
    if (!written) return Error{fmt::format("cannot write the report: {}", std::strerror(errno))};
    return run.has_findings();
  };
  if (!options.only.empty()) {
    end = kRule;
    return finish();
  }
  for (const DeadlockDocument& deadlock : run.deadlocks)
    write_block(deadlock_block(deadlock, options.colors));
  if (shown.size() + run.deadlocks.size() > 0) end += kRule;
  if (options.gen_suppressions) {
    end += suppressions_for(shown, run.findings);
    if (!shown.empty()) end += kRule;
  }
  for (const Limitation& one : run.limitations)
    end += "NOTE: photofinish: " + printable(one.text) + "\n";
  for (const std::string& note : run.notes) end += "NOTE: photofinish: " + printable(note) + "\n";
  if (options.verdicts)
    for (const std::string& verdict : run.verdicts)
      end += "VERDICT: photofinish: " + verdict + "\n";
  end += summary_line(run, shown.size());
  return finish();
}

}  // namespace photofinish
