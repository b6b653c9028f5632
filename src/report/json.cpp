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

json moment_json(Moment moment) { return moment == kNever ? json(nullptr) : json(moment); }

// `root`: what paths are relative to.
json frames_json(const std::vector<Frame>& stack, const std::string& root) {
  json frames = json::array();
  for (const Frame& frame : stack) {
    json told{{"function", frame.function}};
    if (!frame.file.empty()) {
      told["file"] = path_from(root, frame.file);
      told["line"] = frame.line;
      if (frame.column > 0) told["column"] = frame.column;
    }
    if (frame.inlined) told["inlined"] = true;
    told["module"] = frame.module;
    told["offset"] = fmt::format("0x{:x}", frame.offset);
    frames.push_back(std::move(told));
  }
  return frames;
}

json place_json(const PlaceDocument& place, const std::string& root) {
  return {{"call", place.call}, {"stack", frames_json(place.stack, root)}};
}

json end_json(const EndDocument& end, const std::string& root) {
  json told{{"role", end.role}, {"access", end.access}, {"call", end.call}, {"text", end.headline}};
  told["rank"] = end.nothing ? json(nullptr) : json(end.rank.value);
  if (end.thread) told["thread"] = *end.thread;
  told["stack"] = frames_json(end.stack, root);
  if (end.stack.empty() && !end.no_stack.empty()) told["noStack"] = end.no_stack;
  if (!end.source.empty()) told["source"] = end.source;
  if (!end.regions.empty()) told["regions"] = end.regions;
  if (!end.epoch.empty()) told["epoch"] = end.epoch;
  if (end.opened) told["opened"] = place_json(*end.opened, root);
  if (end.closed) told["closed"] = place_json(*end.closed, root);
  if (!end.nothing) {
    told["begin"] = moment_json(end.begin);
    told["end"] = moment_json(end.end);
  }
  if (end.bytes > 0) told["bytes"] = end.bytes;
  return told;
}

json confirmation_json(const Confirmation& confirmation) {
  json orders = json::array();
  for (const OrderTried& order : confirmation.orders)
    orders.push_back({{"name", order.name},
                      {"runs", order.runs},
                      {"seen", order.seen},
                      {"forced", order.forced},
                      {"outcome", order.outcome}});
  return {{"orders", orders},
          {"reached", confirmation.reached},
          {"difference", confirmation.difference},
          {"varies", confirmation.varies}};
}

std::string_view state_word(const std::optional<Confirmation>& confirmation) {
  if (!confirmation) return "predicted";
  switch (confirmation->state) {
    case ConfirmState::Harmful:
      return "confirmed-harmful";
    case ConfirmState::SameOutcome:
      return "confirmed-same-outcome";
    case ConfirmState::NotReproduced:
      break;
  }
  return "not-reproduced";
}

json standstill_json(const StandstillDocument& standstill, const std::string& root) {
  json waits = json::array();
  for (const StandstillDocument::Wait& wait : standstill.waits) {
    waits.push_back({{"rank", wait.rank.value},
                     {"on", wait.on.value < 0 ? json(nullptr) : json(wait.on.value)},
                     {"at", wait.at},
                     {"text", wait.line},
                     {"stack", frames_json(wait.stack, root)}});
    if (!wait.source.empty()) waits.back()["source"] = wait.source;
  }
  return {{"cameAbout", standstill.came_about},
          {"times", standstill.times},
          {"waits", waits},
          {"remarks", standstill.remarks},
          {"advice", standstill.advice}};
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
  json told{{"id", fmt::format("F{}", finding.number)},
            {"kind", rule_id(finding.kind)},
            {"name", kind_name(finding.kind)},
            {"title", title_of(finding)}};
  told["state"] = state_word(finding.confirmation);
  told["stateText"] = state_text(finding.confirmation ? &*finding.confirmation : nullptr);
  told["fingerprint"] = finding.fingerprint;
  told["identity"] = finding.identity;
  told["times"] = finding.times;
  told["ranks"] = ranks_json(finding.ranks);
  json ends = json::array();
  for (const EndDocument& end : finding.ends) ends.push_back(end_json(end, run.root));
  told["ends"] = std::move(ends);
  if (finding.memory) {
    json memory{{"owner", finding.memory->owner.value}, {"text", finding.memory_text}};
    if (finding.memory->win != Uid()) memory["window"] = finding.memory->window;
    memory["offset"] = fmt::format("0x{:x}", static_cast<std::uint64_t>(finding.memory->offset));
    memory["bytes"] = finding.memory->bytes;
    told["memory"] = std::move(memory);
  }
  told["why"] = finding.why;
  told["advice"] = finding.advice;
  if (finding.confirmation) told["confirmation"] = confirmation_json(*finding.confirmation);
  if (finding.suppressed_by)
    told["suppressedBy"] = suppression_json(run.suppressions[*finding.suppressed_by]);
  if (!run.baseline.empty()) told["inBaseline"] = finding.known;
  return told;
}

json run_json(const RunDocument& run) {
  json told{{"name", run.name}, {"command", run.info.command}, {"folder", run.info.folder},
            {"root", run.root}, {"program", run.program},      {"mpi", run.mpi}};
  told["worldSize"] = run.world_size;
  told["recordedRanks"] = rank_ranges(run.recorded);
  told["startedNs"] = run.info.started_ns;
  return told;
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
                       {"deadlocks", run.deadlocks()},
                       {"suppressed", run.suppressed()},
                       {"known", run.known()}};
  json findings = json::array(), standstills = json::array(), limitations = json::array(),
       suppressions = json::array();
  for (const FindingDocument& finding : run.findings)
    findings.push_back(finding_json(finding, run));
  for (const StandstillDocument& standstill : run.standstills)
    standstills.push_back(standstill_json(standstill, run.root));
  for (const Limitation& limitation : run.limitations)
    limitations.push_back(limitation_json(limitation));
  for (const Suppression& suppression : run.suppressions)
    suppressions.push_back(suppression_json(suppression));
  report["findings"] = std::move(findings);
  report["standstills"] = std::move(standstills);
  report["limitations"] = std::move(limitations);
  report["notes"] = run.notes;
  report["verdicts"] = run.verdicts;
  report["suppressions"] = std::move(suppressions);
  if (!run.baseline.empty()) report["baseline"] = run.baseline;
  return dumped(report, 2) + "\n";
}

}  // namespace photofinish
