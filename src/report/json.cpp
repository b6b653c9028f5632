#include "report/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/confirmation_text.h"
#include "report/event_text.h"
#include "report/finding_text.h"
#include "report/identity.h"

namespace photofinish {
namespace {

using json = nlohmann::ordered_json;

json ranks_json(const std::set<WorldRank>& ranks) {
  json list = json::array();
  for (const WorldRank rank : ranks) list.push_back(rank.value);
  return list;
}

json timestamp_json(Timestamp timestamp) {
  return timestamp == kNever ? json(nullptr) : json(timestamp);
}

// Paths are relative to `root`.
json frames_json(const std::vector<Frame>& stack, const std::string& root) {
  json frames = json::array();
  for (const Frame& frame : stack) {
    json reported{{"function", frame.function}};
    if (!frame.file.empty()) {
      reported["file"] = path_from(root, frame.file);
      reported["line"] = frame.line;
      if (frame.column > 0) reported["column"] = frame.column;
    }
    if (frame.inlined) reported["inlined"] = true;
    reported["module"] = frame.module;
    reported["offset"] = fmt::format("0x{:x}", frame.offset);
    frames.push_back(std::move(reported));
  }
  return frames;
}

json where_json(const LocationDocument& where, const std::string& root) {
  return {{"call", where.call}, {"stack", frames_json(where.stack, root)}};
}

json end_json(const EndDocument& end, const std::string& root) {
  json reported{
      {"role", end.role}, {"access", end.access}, {"call", end.call}, {"text", end.headline}};
  reported["rank"] = end.nothing ? json(nullptr) : json(end.rank.value);
  if (end.thread) reported["thread"] = *end.thread;
  reported["stack"] = frames_json(end.stack, root);
  if (end.stack.empty() && !end.no_stack.empty()) reported["noStack"] = end.no_stack;
  if (!end.source.empty()) reported["source"] = end.source;
  if (!end.regions.empty()) reported["regions"] = end.regions;
  if (!end.epoch.empty()) reported["epoch"] = end.epoch;
  if (end.opened) reported["opened"] = where_json(*end.opened, root);
  if (end.closed) reported["closed"] = where_json(*end.closed, root);
  if (!end.nothing) {
    reported["begin"] = timestamp_json(end.begin);
    reported["end"] = timestamp_json(end.end);
  }
  if (end.bytes > 0) reported["bytes"] = end.bytes;
  return reported;
}

json outcomes_json(const std::vector<CountedOutcome>& outcomes) {
  json all = json::array();
  for (const CountedOutcome& outcome : outcomes)
    all.push_back({{"text", outcome.text}, {"times", outcome.times}});
  return all;
}

json confirmation_json(const Confirmation& confirmation) {
  json orders = json::array();
  for (const OrderTried& order : confirmation.orders)
    orders.push_back({{"name", order.name},
                      {"runs", order.runs},
                      {"seen", order.seen()},
                      {"forced", order.is_forced()},
                      {"outcomes", outcomes_json(order.outcomes)},
                      {"outcome", order.seen() ? outcomes_text(order.outcomes) : order.outcome}});
  return {{"orders", orders},
          {"instances", confirmation.every ? "every" : "one"},
          {"onlyExitCodes", confirmation.only_exit_codes},
          {"control", outcomes_json(confirmation.control)},
          {"reached", confirmation.reached},
          {"difference", confirmation.difference}};
}

json deadlock_json(const DeadlockDocument& deadlock, const std::string& root) {
  json waits = json::array();
  for (const DeadlockDocument::Wait& wait : deadlock.waits) {
    waits.push_back({{"rank", wait.rank.value},
                     {"on", wait.on.value < 0 ? json(nullptr) : json(wait.on.value)},
                     {"at", wait.at},
                     {"text", wait.line},
                     {"stack", frames_json(wait.stack, root)}});
    if (!wait.source.empty()) waits.back()["source"] = wait.source;
  }
  return {{"cameAbout", deadlock.came_about},
          {"times", deadlock.times},
          {"waits", waits},
          {"remarks", deadlock.remarks},
          {"advice", deadlock.advice}};
}

json limitation_json(const Limitation& limitation) {
  return {{"kind", limitation_id(limitation.kind)},
          {"ranks", ranks_json(limitation.ranks)},
          {"unexpected", is_unexpected(limitation.kind)},
          {"text", limitation.text}};
}

json suppression_json(const Suppression& suppression) {
  return {{"text", suppression.text},
          {"file", suppression.file},
          {"line", suppression.line},
          {"used", suppression.used}};
}

json finding_json(const FindingDocument& finding, const RunDocument& run) {
  json reported{{"id", fmt::format("F{}", finding.number)},
                {"kind", rule_id(finding.kind)},
                {"name", kind_name(finding.kind)},
                {"title", title_of(finding)}};
  reported["state"] = state_id(finding.confirmation ? &*finding.confirmation : nullptr);
  reported["stateText"] = state_text(finding.confirmation ? &*finding.confirmation : nullptr);
  reported["fingerprint"] = finding.fingerprint;
  reported["identity"] = finding.identity;
  reported["times"] = finding.times;
  reported["ranks"] = ranks_json(finding.ranks);
  json ends = json::array();
  for (const EndDocument& end : finding.ends) ends.push_back(end_json(end, run.root));
  reported["ends"] = std::move(ends);
  if (finding.memory) {
    json memory{{"owner", finding.memory->owner.value}, {"text", finding.memory_text}};
    if (finding.memory->win != Uid()) memory["window"] = finding.memory->window;
    memory["offset"] = fmt::format("0x{:x}", static_cast<std::uint64_t>(finding.memory->offset));
    memory["bytes"] = finding.memory->bytes;
    reported["memory"] = std::move(memory);
  }
  reported["why"] = finding.why;
  reported["advice"] = finding.advice;
  if (finding.confirmation) reported["confirmation"] = confirmation_json(*finding.confirmation);
  if (finding.suppressed_by)
    reported["suppressedBy"] = suppression_json(run.suppressions[*finding.suppressed_by]);
  if (!run.baseline.empty()) reported["inBaseline"] = finding.known;
  return reported;
}

json run_json(const RunDocument& run) {
  json reported{{"name", run.name}, {"command", run.info.command}, {"folder", run.info.folder},
                {"root", run.root}, {"program", run.program},      {"mpi", run.mpi}};
  reported["worldSize"] = run.world_size;
  reported["recordedRanks"] = rank_ranges(run.recorded);
  reported["startedNs"] = run.info.started_ns;
  return reported;
}

}  // namespace

std::string dumped(const json& value, int indent) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

std::string json_report(const RunDocument& run) {
  json report{
      {"photofinish", PHOTOFINISH_VERSION}, {"version", kJsonVersion}, {"run", run_json(run)}};
  report["summary"] = {{"text", result_text(run)},
                       {"complete", !run.incomplete()},
                       {"findings", run.counting()},
                       {"oneSidedRaces", run.count(FindingKind::OneSidedRace)},
                       {"bufferRaces", run.count(FindingKind::BufferRace)},
                       {"messageRaces", run.count(FindingKind::MessageRace)},
                       {"deadlocks", run.deadlock_count()},
                       {"suppressed", run.suppressed()},
                       {"known", run.known()}};
  json findings = json::array(), deadlocks = json::array(), limitations = json::array(),
       suppressions = json::array();
  for (const FindingDocument& finding : run.findings)
    findings.push_back(finding_json(finding, run));
  for (const DeadlockDocument& deadlock : run.deadlocks)
    deadlocks.push_back(deadlock_json(deadlock, run.root));
  for (const Limitation& limitation : run.limitations)
    limitations.push_back(limitation_json(limitation));
  for (const Suppression& suppression : run.suppressions)
    suppressions.push_back(suppression_json(suppression));
  report["findings"] = std::move(findings);
  report["deadlocks"] = std::move(deadlocks);
  report["limitations"] = std::move(limitations);
  report["notes"] = run.notes;
  report["verdicts"] = run.verdicts;
  report["suppressions"] = std::move(suppressions);
  if (!run.baseline.empty()) report["baseline"] = run.baseline;
  return dumped(report, 2) + "\n";
}

}  // namespace photofinish
