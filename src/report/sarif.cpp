#include "report/sarif.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "report/block.h"
#include "report/confirmation_text.h"
#include "report/event_text.h"
#include "report/identity.h"
#include "report/json.h"
#include "report/site_text.h"

namespace photofinish {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* kSchema =
    "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/main/sarif-2.1/schema/"
    "sarif-schema-2.1.0.json";
constexpr const char* kRoot = "%SRCROOT%";

struct Rule {
  FindingKind kind;
  const char *name, *brief, *full, *help;
};
constexpr Rule kRules[] = {
    {FindingKind::OneSidedRace, "OneSidedRace", "Two concurrent, conflicting accesses to a window",
     "Two accesses touch the same bytes of a window, at least one of them writes, and no "
     "happens-before path leads from the completion of either to the start of the other.",
     "Complete the first access (MPI_Win_flush, MPI_Win_unlock, MPI_Win_fence), then synchronize "
     "(a barrier, a message) before the second; or protect both with one exclusive lock."},
    {FindingKind::BufferRace, "BufferRace", "A buffer is used while an operation on it is pending",
     "The program uses the buffer of a nonblocking operation before the operation is complete.",
     "Complete the operation (MPI_Wait, MPI_Win_flush_local, MPI_Win_fence) before the buffer is "
     "used again."},
    {FindingKind::MessageRace, "MessageRace", "A receive could have matched another message",
     "A receive or probe can match several messages, and which one it matches depends on timing.",
     "If it matters, name the source, use different tags, or let the other rank send only after "
     "this receive."},
};

// A deadlock is a result without a finding number.
constexpr Rule kDeadlock = {FindingKind::MessageRace, "Deadlock", "Ranks wait for each other",
                            "Ranks wait for each other, for a rank that has finished, or for a "
                            "collective that others do not call: none of their calls can return.",
                            "Use MPI_Sendrecv, or MPI_Irecv before the sends; call collectives in "
                            "the same order on all ranks."};
constexpr std::size_t kMostWaiting = 32;  // ranks that are listed

// As a URI, relative to the root if the file is below it.
std::string uri_of(const std::string& path) {
  std::string uri;
  for (const unsigned char c : path)
    uri += std::isalnum(c) ||
                   std::string_view("-._~/+").find(static_cast<char>(c)) != std::string_view::npos
               ? std::string(1, static_cast<char>(c))
               : fmt::format("%{:02X}", c);
  return path.starts_with('/') ? "file://" + uri : uri;
}

json artifact_json(const std::string& file, const std::string& root) {
  const std::string path = path_from(root, file);
  json location{{"uri", uri_of(path)}};
  if (!path.starts_with('/')) location["uriBaseId"] = kRoot;
  return location;
}

json location_json(const std::vector<Frame>& stack, const std::string& root,
                   const std::string& message) {
  json location = json::object();
  const Frame* frame = leading_frame(stack);
  if (frame != nullptr && !frame->file.empty()) {
    json physical{{"artifactLocation", artifact_json(frame->file, root)}};
    if (frame->line > 0) {
      physical["region"] = {{"startLine", frame->line}};
      if (frame->column > 0) physical["region"]["startColumn"] = frame->column;
    }
    location["physicalLocation"] = std::move(physical);
  }
  if (frame != nullptr && !frame->function.empty())
    location["logicalLocations"] =
        json::array({json{{"fullyQualifiedName", frame->function}, {"kind", "function"}}});
  if (!message.empty()) location["message"] = {{"text", message}};
  return location;
}

json stack_json(const std::vector<Frame>& stack, const std::string& headline,
                const std::string& root) {
  json frames = json::array();
  for (const Frame& frame : stack)
    frames.push_back(
        {{"location", location_json({frame}, root, "")}, {"module", base_name(frame.module)}});
  return {{"message", {{"text", headline}}}, {"frames", frames}};
}

// The steps of each rank as far as the finding has them: the epoch, the access, its completion.
json code_flow(const FindingDocument& finding, const std::string& root) {
  std::map<WorldRank, json> flows;
  const auto add = [&](WorldRank rank, const std::vector<Frame>& stack, const std::string& text,
                       const char* importance) {
    flows[rank].push_back(
        {{"location", location_json(stack, root, text)}, {"importance", importance}});
  };
  for (const EndDocument& end : finding.ends) {
    if (end.nothing) continue;
    if (end.opened)
      add(end.rank, end.opened->stack,
          fmt::format("{} opens the epoch", end.opened->call.empty() ? "a call" : end.opened->call),
          "important");
    add(end.rank, end.stack, end.headline, "essential");
    if (end.closed)
      add(end.rank, end.closed->stack,
          fmt::format("{} completes it", end.closed->call.empty() ? "a call" : end.closed->call),
          "important");
  }
  json thread_flows = json::array();
  for (auto& [rank, steps] : flows) {
    const std::string name = fmt::format("rank {}", rank_text(rank));
    thread_flows.push_back(
        {{"id", name}, {"message", {{"text", name}}}, {"locations", std::move(steps)}});
  }
  return json::array(
      {json{{"message", {{"text", finding.why}}}, {"threadFlows", std::move(thread_flows)}}});
}

// "deadlock: rank 0 waits in …; rank 1 waits in …. Try: …"
std::string waits_text(const DeadlockDocument& deadlock, std::size_t most) {
  std::string text = deadlock.came_about ? "deadlock:" : "deadlock if sends are not buffered:";
  for (std::size_t i = 0; i < std::min(most, deadlock.waits.size()); ++i)
    text += (i == 0 ? " " : "; ") + deadlock.waits[i].line;
  if (deadlock.waits.size() > most)
    text += fmt::format("; and {} more", deadlock.waits.size() - most);
  return text + ". " + deadlock.advice;
}

const char* level_of(ConfirmState state) {
  switch (state) {
    case ConfirmState::Harmful:
    case ConfirmState::Unstable:
      return "error";
    case ConfirmState::SameOutcome:
      return "note";
    case ConfirmState::EffectUnknown:
    case ConfirmState::NotReproduced:
      break;
  }
  return "warning";
}

json result_json(const FindingDocument& finding, const RunDocument& run, std::size_t occurrence) {
  const std::string state = state_text(finding.confirmation ? &*finding.confirmation : nullptr);
  json result{{"ruleId", rule_id(finding.kind)},
              {"ruleIndex", static_cast<int>(finding.kind)},
              {"level", "warning"},
              {"kind", "fail"}};
  if (finding.confirmation) result["level"] = level_of(finding.confirmation->state);
  std::string text;
  for (const EndDocument& end : finding.ends) text += (text.empty() ? "" : " ") + end.headline;
  result["message"] = {
      {"text", fmt::format("{} [F{}], {}, {} on {}: {}. {} {}",
                           capitalised(std::string(kind_name(finding.kind))), finding.number, state,
                           times_text(finding.times), ranks_of(finding.ranks, finding.process),
                           text, finding.why, finding.advice)}};
  const EndDocument& first = finding.ends.front();
  if (!first.stack.empty())
    result["locations"] = json::array({location_json(first.stack, run.root, first.headline)});
  json related = json::array(), stacks = json::array();
  int id = 0;
  for (const EndDocument& end : finding.ends) {
    if (end.nothing || end.stack.empty()) continue;
    stacks.push_back(stack_json(end.stack, end.headline, run.root));
    if (&end == &first) continue;
    json location = location_json(end.stack, run.root, end.headline);
    location["id"] = ++id;
    related.push_back(std::move(location));
  }
  if (!related.empty()) result["relatedLocations"] = std::move(related);
  if (!stacks.empty()) result["stacks"] = std::move(stacks);
  result["codeFlows"] = code_flow(finding, run.root);
  result["partialFingerprints"] = {
      {std::string(kFingerprintName), finding.fingerprint},
      {"photofinish-occurrence/v1", fmt::format("{}:{}", finding.fingerprint, occurrence)}};
  result["occurrenceCount"] = std::max<std::uint64_t>(1, finding.times);
  if (finding.suppressed_by) {
    const Suppression& by = run.suppressions[*finding.suppressed_by];
    result["suppressions"] = json::array(
        {json{{"kind", "external"},
              {"status", "accepted"},
              {"justification", fmt::format("{} ({}:{})", by.text, by.file, by.line)}}});
  }
  if (!run.baseline.empty()) result["baselineState"] = finding.known ? "unchanged" : "new";
  result["properties"] = {
      {"title", fmt::format("{}, {}", kind_name(finding.kind), title_of(finding))},
      {"state", state},
      {"ranks", ranks_of(finding.ranks, finding.process)},
      {"id", fmt::format("F{}", finding.number)}};
  return result;
}

json deadlock_json(const DeadlockDocument& deadlock, const RunDocument& run,
                   std::map<std::string, std::size_t>& seen) {
  json result{{"ruleId", kDeadlockRule},
              {"ruleIndex", static_cast<int>(std::size(kRules))},
              {"level", "error"},
              {"kind", "fail"}};
  result["message"] = {{"text", capitalised(waits_text(deadlock, kMostWaiting))}};
  json related = json::array(), stacks = json::array(), flows = json::array();
  std::set<std::string> locations;
  int id = 0;
  for (std::size_t i = 0; i < std::min(kMostWaiting, deadlock.waits.size()); ++i) {
    const DeadlockDocument::Wait& wait = deadlock.waits[i];
    if (wait.stack.empty()) continue;
    locations.insert(wait.stack.front().function + " " + base_name(wait.stack.front().file));
    json location = location_json(wait.stack, run.root, wait.line);
    flows.push_back(
        {{"id", fmt::format("rank {}", rank_text(wait.rank))},
         {"locations", json::array({json{{"location", location}, {"importance", "essential"}}})}});
    stacks.push_back(stack_json(wait.stack, wait.line, run.root));
    if (!result.contains("locations")) {
      result["locations"] = json::array({std::move(location)});
      continue;
    }
    location["id"] = ++id;
    related.push_back(std::move(location));
  }
  if (!related.empty()) result["relatedLocations"] = std::move(related);
  if (!stacks.empty()) result["stacks"] = std::move(stacks);
  if (!flows.empty()) result["codeFlows"] = json::array({json{{"threadFlows", std::move(flows)}}});
  const std::string fingerprint =
      fingerprint_of(fmt::format("{}: {}", kDeadlockRule, fmt::join(locations, " / ")));
  result["partialFingerprints"] = {
      {std::string(kFingerprintName), fingerprint},
      {"photofinish-occurrence/v1", fmt::format("{}:{}", fingerprint, ++seen[fingerprint])}};
  return result;
}

json rules_json() {
  json rules = json::array();
  std::vector<Rule> all(std::begin(kRules), std::end(kRules));
  all.push_back(kDeadlock);
  for (const Rule& rule : all)
    rules.push_back({{"id", &rule == &all.back() ? kDeadlockRule : rule_id(rule.kind)},
                     {"name", rule.name},
                     {"shortDescription", {{"text", rule.brief}}},
                     {"fullDescription", {{"text", rule.full}}},
                     {"help", {{"text", rule.help}}},
                     {"defaultConfiguration", {{"level", "warning"}}},
                     {"properties", {{"tags", json::array({"concurrency", "mpi", "race"})}}}});
  return rules;
}

}  // namespace

std::string help_text(FindingKind kind) {
  for (const Rule& rule : kRules)
    if (rule.kind == kind) return fmt::format("{} {}", rule.full, rule.help);
  return "";
}

std::string sarif_report(const RunDocument& run) {
  json results = json::array();
  std::map<std::string, std::size_t> seen;
  for (const FindingDocument& finding : run.findings)
    results.push_back(result_json(finding, run, ++seen[finding.fingerprint]));
  json notifications = json::array();
  for (const Limitation& one : run.limitations)
    notifications.push_back({{"descriptor", {{"id", limitation_id(one.kind)}}},
                             {"level", is_unexpected(one.kind) ? "warning" : "note"},
                             {"message", {{"text", one.text}}}});
  for (const std::string& note : run.notes)
    notifications.push_back({{"level", "note"}, {"message", {{"text", note}}}});
  for (const std::string& verdict : run.verdicts)
    notifications.push_back({{"level", "note"}, {"message", {{"text", verdict}}}});
  for (const DeadlockDocument& deadlock : run.deadlocks) {
    if (deadlock.came_about)
      results.push_back(deadlock_json(deadlock, run, seen));
    else
      notifications.push_back(
          {{"level", "note"}, {"message", {{"text", waits_text(deadlock, kMostWaiting)}}}});
  }
  json tool{
      {"name", "photofinish"}, {"semanticVersion", PHOTOFINISH_VERSION}, {"rules", rules_json()}};
  json invocation{{"executionSuccessful", true},
                  {"toolExecutionNotifications", std::move(notifications)},
                  {"properties", {{"complete", !run.incomplete()}}}};
  if (!run.info.command.empty())
    invocation["commandLine"] = fmt::format("{}", fmt::join(run.info.command, " "));
  json reported{{"tool", {{"driver", std::move(tool)}}},
                {"columnKind", "utf16CodeUnits"},
                {"invocations", json::array({std::move(invocation)})}};
  if (!run.root.empty())
    reported["originalUriBaseIds"][kRoot] = {
        {"uri", uri_of(run.root.ends_with('/') ? run.root : run.root + "/")}};
  reported["results"] = std::move(results);
  return dumped({{"$schema", kSchema},
                 {"version", "2.1.0"},
                 {"runs", json::array({std::move(reported)})}},
                2) +
         "\n";
}

}  // namespace photofinish
