#include "report/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "report/baseline.h"
#include "report/block.h"
#include "report/confirmation_text.h"
#include "report/coverage.h"
#include "report/describe.h"
#include "report/identity.h"
#include "report/message_text.h"
#include "report/numbering.h"
#include "report/sampling_text.h"
#include "trace/confirmations_file.h"
#include "trace/reader.h"

namespace photofinish {
namespace {

struct KindNames {
  std::string_view name, rule;
};
constexpr KindNames kKinds[] = {{"one-sided race", "one-sided-race"},
                                {"buffer race", "buffer-race"},
                                {"message race", "message-race"}};

// Adds the lines of the text report, without their common prefix.
void add_sentences(std::vector<std::string>& to, std::string_view text, std::string_view prefix) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with(prefix)) line.remove_prefix(prefix.size());
    to.emplace_back(line);
  }
}

// The git repository that contains a folder; empty if there is none.
std::string repository_of(const std::filesystem::path& folder) {
  std::error_code error;
  for (std::filesystem::path at = folder; !at.empty(); at = at.parent_path()) {
    if (std::filesystem::exists(at / ".git", error)) return at.string();
    if (at == at.parent_path()) break;
  }
  return "";
}

// The run may have been started, and the report written, far from the sources. Returns the first
// candidate that contains the source of a finding; if there is none, the default that a reader
// expects.
std::string root_of(const RunDocument& run) {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string();
  std::vector<std::string> files;
  for (const FindingDocument& finding : run.findings)
    for (const EndDocument& end : finding.ends)
      if (const Frame* frame = leading_frame(end.stack); frame != nullptr && !frame->file.empty())
        files.push_back(frame->file);
  for (const DeadlockDocument& deadlock : run.deadlocks)
    for (const DeadlockDocument::Wait& wait : deadlock.waits)
      if (const Frame* frame = leading_frame(wait.stack); frame != nullptr && !frame->file.empty())
        files.push_back(frame->file);
  const std::string in_repository =
      files.empty() ? "" : repository_of(std::filesystem::path(files.front()).parent_path());
  const std::string candidates[] = {repository_of(here), repository_of(run.info.folder),
                                    in_repository, here, run.info.folder};
  for (const std::string& root : candidates)
    if (!root.empty() && std::any_of(files.begin(), files.end(), [&](const std::string& file) {
          return path_from(root, file) != file;
        }))
      return root;
  for (const std::string& root : {candidates[0], candidates[1], run.info.folder})
    if (!root.empty()) return root;
  return here;
}

void read_ranks(RunDocument& run) {
  if (const auto recorded = recorded_ranks(run.directory)) run.recorded = *recorded;
  for (const WorldRank rank : run.recorded) {
    const auto trace = RankTrace::open(run.directory, rank);
    if (!trace) continue;
    run.world_size = (*trace)->world_size();
    run.program = (*trace)->definitions().rank.program;
    run.mpi = (*trace)->definitions().rank.library;
    return;  // the first readable one speaks for all
  }
}

Result<bool> suppress(RunDocument& run, const DocumentOptions& options) {
  if (!options.suppressions.empty()) {
    auto own = read_suppressions(options.suppressions);
    if (!own) return own.error();
    run.suppressions = std::move(*own);
  }
  if (options.builtin_suppressions)
    for (Suppression& builtin : builtin_suppressions())
      run.suppressions.push_back(std::move(builtin));
  apply_suppressions(run.suppressions, run.findings);
  std::vector<std::string> used, unused;
  for (const Suppression& one : run.suppressions) {
    const std::string where = one.line > 0 && one.file != "built-in"
                                  ? fmt::format("{}:{}", one.file, one.line)
                                  : one.file;
    if (one.used > 0)
      used.push_back(fmt::format("{} by {} ({})", one.used, one.text, where));
    else if (one.file != "built-in")
      unused.push_back(fmt::format("{} ({})", one.text, where));
  }
  if (!used.empty())
    run.notes.push_back(fmt::format("{} finding{} suppressed: {}", run.suppressed(),
                                    run.suppressed() == 1 ? " was" : "s were",
                                    fmt::join(used, ", ")));
  if (!unused.empty())
    run.notes.push_back(fmt::format("{} suppression{} no finding: {}", unused.size(),
                                    unused.size() == 1 ? " matches" : "s match",
                                    fmt::join(unused, ", ")));
  return true;
}

Result<bool> compare_with_baseline(RunDocument& run, const DocumentOptions& options) {
  if (options.baseline.empty()) return true;
  auto baseline =
      read_baseline(options.baseline, {.builtin_suppressions = options.builtin_suppressions});
  if (!baseline) return baseline.error();
  run.baseline = options.baseline;
  mark_known(*baseline, run.findings);
  const std::size_t gone = baseline->size();
  std::string note = fmt::format("baseline {0}: {1} known finding{2} occurred again",
                                 options.baseline, run.known(), run.known() == 1 ? "" : "s");
  if (gone > 0) note += fmt::format(", {} did not: photofinish diff lists them", gone);
  run.notes.push_back(note);
  return true;
}

bool is_system_file(const std::string& path) {
  return path.find('/') == path.npos || path.starts_with("/usr/") || path.starts_with("/lib");
}

// Why stacks or source lines are incomplete.
void note_missing_lines(RunDocument& run, const RunNotes& notes) {
  std::error_code error;
  for (const std::string& module : notes.changed_modules()) {
    if (is_system_file(module)) continue;
    run.changed_modules.push_back(module);
    run.notes.push_back(fmt::format(
        "{} {}, so that functions and source lines are unknown. Run photofinish check again",
        module,
        std::filesystem::exists(module, error) ? "was rebuilt since this run"
                                               : "no longer exists"));
  }
  for (const std::string& file : notes.changed_sources())
    run.notes.push_back(
        fmt::format("{} has changed since this run: its lines are not shown", file));
  const auto has_no_lines = [&](const std::vector<Frame>& stack) {
    const auto is_of_program = [&](const Frame& frame) {
      return base_name(frame.module) == base_name(run.program);
    };
    return std::any_of(stack.begin(), stack.end(), is_of_program) &&
           std::all_of(stack.begin(), stack.end(),
                       [](const Frame& frame) { return frame.file.empty(); });
  };
  bool without_lines = false;
  for (const FindingDocument& finding : run.findings)
    for (const EndDocument& end : finding.ends) without_lines |= has_no_lines(end.stack);
  for (const DeadlockDocument& deadlock : run.deadlocks)
    for (const DeadlockDocument::Wait& wait : deadlock.waits)
      without_lines |= has_no_lines(wait.stack);
  if (without_lines && run.changed_modules.empty())
    run.notes.push_back(fmt::format(
        "{} has no line information: compile with -g to see source lines", run.program));
}

template <class Predicate>
std::size_t count_findings(const RunDocument& run, Predicate predicate) {
  return static_cast<std::size_t>(
      std::count_if(run.findings.begin(), run.findings.end(), predicate));
}

}  // namespace

std::string_view kind_name(FindingKind kind) { return kKinds[static_cast<std::size_t>(kind)].name; }
std::string_view rule_id(FindingKind kind) { return kKinds[static_cast<std::size_t>(kind)].rule; }

std::size_t RunDocument::count(FindingKind kind) const {
  return count_findings(*this, [&](const auto& f) { return f.counts() && f.kind == kind; });
}
std::size_t RunDocument::suppressed() const {
  return count_findings(*this, [](const auto& f) { return f.suppressed_by.has_value(); });
}
std::size_t RunDocument::known() const {
  return count_findings(*this, [](const auto& f) { return f.known && !f.suppressed_by; });
}
std::size_t RunDocument::counting() const {
  return count_findings(*this, [](const auto& f) { return f.counts(); });
}
std::size_t RunDocument::deadlock_count() const {
  return static_cast<std::size_t>(std::count_if(deadlocks.begin(), deadlocks.end(),
                                                [](const auto& one) { return one.came_about; }));
}

bool RunDocument::incomplete() const {
  return std::any_of(limitations.begin(), limitations.end(),
                     [](const Limitation& one) { return is_unexpected(one.kind); });
}

std::string path_from(const std::string& root, const std::string& path) {
  const std::string folder = root.empty() || root.ends_with('/') ? root : root + "/";
  return !folder.empty() && path.starts_with(folder) ? path.substr(folder.size()) : path;
}

Result<RunDocument> read_document(const std::string& directory, const DocumentOptions& options) {
  RunDocument reported{.name = options.name.empty() ? directory : options.name,
                       .directory = directory};
  auto run = read_findings(directory, options.unwritten);
  if (!run) return run.error();
  if (!run->analysed)
    return Error{fmt::format("{} is not analyzed yet: run photofinish analyze {}", reported.name,
                             reported.name)};
  const auto confirmations = read_confirmations(directory);
  if (!confirmations) return confirmations.error();
  if (const auto info = read_run_info(directory)) reported.info = *info;
  read_ranks(reported);

  reported.limitations = collect_limitations(directory, *run);
  const bool checked_at_messages = run->messages.has_value();
  RunNotes notes(directory, run->findings, run->messages.value_or(MessageFindings{}));
  const NumberedFindings numbered = number_findings(std::move(*run), notes);
  // From here on every finding has its number.
  std::size_t number = 0;
  for (const Finding& finding : numbered.in_memory)
    reported.findings.push_back(describe_finding(
        finding, ++number, notes, find_confirmation(*confirmations, key_of(finding))));
  for (const MessageFinding& finding : numbered.messages)
    reported.findings.push_back(describe_message(
        finding, ++number, notes, find_confirmation(*confirmations, key_of(finding))));
  const Confirmation* const buffering = find_confirmation(*confirmations, kBufferingKey);
  for (const Deadlock& deadlock : numbered.all_messages.deadlocks) {
    reported.deadlocks.push_back(describe_deadlock(deadlock, notes));
    if (buffering == nullptr || deadlock.came_about) continue;
    reported.deadlocks.back().confirmed = buffering->state == ConfirmState::Harmful;
    reported.deadlocks.back().remarks.push_back(
        buffering->state == ConfirmState::Harmful
            ? "Confirmed: with synchronous sends the program hangs."
            : "Not reproduced: with synchronous sends the program does not hang.");
  }
  reported.root = options.source_root.empty()
                      ? root_of(reported)
                      : std::filesystem::weakly_canonical(options.source_root).string();
  for (FindingDocument& finding : reported.findings) {
    finding.identity = identity_of(finding);
    finding.fingerprint = fingerprint_of(finding.identity);
  }

  note_missing_lines(reported, notes);
  add_sentences(reported.notes, sampling_lines(read_sampling(directory)), "NOTE: photofinish: ");
  if (!numbered.intended.empty()) reported.notes.push_back(numbered.intended);
  // An intended race still makes the run nondeterministic.
  if (checked_at_messages)
    add_sentences(reported.verdicts,
                  verdicts(numbered.all_messages, numbered.races_with_intended,
                           !reported.incomplete(), notes),
                  "VERDICT: photofinish: ");
  notes.save_symbols();
  if (const auto done = suppress(reported, options); !done) return done.error();
  if (const auto done = compare_with_baseline(reported, options); !done) return done.error();
  return reported;
}

}  // namespace photofinish
