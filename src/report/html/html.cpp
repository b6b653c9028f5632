// Rule: data of the program (names, paths, sources) reaches the page only as JSON, which the script
// shows as text. Every "<" in it is escaped, so that it cannot close the script element.
#include "report/html/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "report/event_text.h"
#include "report/finding_text.h"
#include "report/html/assets.h"
#include "report/json.h"
#include "report/picture/layout.h"
#include "report/sarif.h"
#include "report/sources.h"

namespace photofinish {
namespace {

using json = nlohmann::ordered_json;

// A string table: each repeated string is stored once.
class Names {
 public:
  int number(const std::string& name) {
    const auto [at, added] = numbers_.try_emplace(name, static_cast<int>(list_.size()));
    if (added) list_.push_back(name);
    return at->second;
  }
  const json& list() const { return list_; }

 private:
  std::unordered_map<std::string, int> numbers_;
  json list_ = json::array();
};

constexpr const char* kArrowNames[] = {"message", "order", "put", "get", "accumulate"};

json picture_json(const Picture& picture, Names& names) {
  json lanes = json::array(), arrows = json::array(), joins = json::array(), ends = json::array();
  for (const Picture::Lane& lane : picture.lanes) {
    json steps = json::array(), gaps = json::array(), epochs = json::array();
    for (const Picture::Step& step : lane.steps)
      steps.push_back(
          json::array({step.begin, step.end, names.number(std::string(traits(step.call).name)),
                       names.number(step.where), step.note, step.returned, step.index}));
    for (const Picture::Gap& gap : lane.gaps)
      gaps.push_back(json::array({gap.begin, gap.end, gap.events}));
    for (const Picture::Epoch& epoch : lane.epochs)
      epochs.push_back(json::array({epoch.begin, epoch.end, epoch.label, epoch.ends}));
    lanes.push_back({{"rank", lane.rank.value},
                     {"steps", std::move(steps)},
                     {"gaps", std::move(gaps)},
                     {"epochs", std::move(epochs)}});
  }
  for (const Picture::Arrow& arrow : picture.arrows)
    arrows.push_back(
        json::array({kArrowNames[static_cast<std::size_t>(arrow.kind)], arrow.from_lane, arrow.from,
                     arrow.to_lane, arrow.to, arrow.label}));
  for (const Picture::Join& join : picture.joins) {
    json parts = json::array();
    for (const Picture::Join::Part& part : join.parts)
      parts.push_back(json::array({part.lane, part.begin, part.end}));
    joins.push_back({{"label", join.label}, {"parts", std::move(parts)}});
  }
  for (const Picture::End& end : picture.ends)
    ends.push_back({{"lane", end.lane},
                    {"begin", end.begin},
                    {"end", end.completes ? end.end : -1},
                    {"touches", end.touches}});
  return {{"width", picture.width},
          {"lanes", std::move(lanes)},
          {"arrows", std::move(arrows)},
          {"joins", std::move(joins)},
          {"ends", std::move(ends)}};
}

json counts_json(const std::vector<RankCounts>& counts) {
  json ranks = json::array(), calls = json::array();
  std::uint64_t events = 0;
  std::map<Call, std::uint64_t> by_call;
  std::map<std::string, std::set<WorldRank>> by_end;
  for (const RankCounts& rank : counts) {
    ranks.push_back(json::array({rank.rank.value, rank.events}));
    by_end[rank.end].insert(rank.rank);
    events += rank.events;
    for (const auto& [call, count] : rank.calls) by_call[call] += count;
  }
  std::vector<std::pair<Call, std::uint64_t>> sorted(by_call.begin(), by_call.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [call, count] : sorted) calls.push_back(json::array({traits(call).name, count}));
  json ends = json::array();  // few, independent of the number of ranks
  for (const auto& [end, of] : by_end)
    ends.push_back(json::array({end, rank_ranges({of.begin(), of.end()}), of.size()}));
  return {{"events", events},
          {"ranks", std::move(ranks)},
          {"ends", std::move(ends)},
          {"calls", std::move(calls)}};
}

json sources_json(const RunDocument& run) {
  Sources sources;
  for (const FindingDocument& finding : run.findings)
    for (const EndDocument& end : finding.ends) sources.want(end.stack);
  for (const DeadlockDocument& deadlock : run.deadlocks)
    for (const DeadlockDocument::Wait& wait : deadlock.waits) sources.want(wait.stack);
  json reported = json::object();
  for (const auto& [path, excerpt] : sources.read(run.info.started_ns)) {
    json& here = reported[path_from(run.root, path)];
    if (!excerpt.trouble.empty()) {
      here = {{"trouble", excerpt.trouble}};
      continue;
    }
    json chunks = json::array();
    for (const SourceExcerpt::Chunk& chunk : excerpt.chunks)
      chunks.push_back(json::array({chunk.first, chunk.lines}));
    here = {{"chunks", std::move(chunks)}};
    if (excerpt.changed) here["changed"] = true;
  }
  return reported;
}

// The documentation that belongs to this program: in the installation or in the build tree.
std::string help_page(std::string_view rule) {
  std::error_code error;
  const auto program = std::filesystem::canonical("/proc/self/exe", error).parent_path();
  for (const char* folder : {"../share/doc/photofinish/docs", "../../../docs"})
    if (const auto page = std::filesystem::canonical(
            program / folder / "findings" / fmt::format("{}.md", rule), error);
        !error)
      return page.string();
  return "";
}

json help_json(const RunDocument& run) {
  json help = json::object();
  for (const FindingDocument& finding : run.findings) {
    json& here = help[rule_id(finding.kind)];
    if (!here.is_null()) continue;
    here = {{"text", help_text(finding.kind)}};
    if (const std::string page = help_page(rule_id(finding.kind)); !page.empty())
      here["page"] = page;
  }
  return help;
}

json page_data(const RunDocument& run) {
  json data = json::parse(json_report(run));
  Neighborhood neighborhood(run);
  const std::vector<NearFinding> near = neighborhood.read();
  Names names;
  for (std::size_t i = 0; i < run.findings.size(); ++i) {
    json& finding = data["findings"][i];
    finding["number"] = run.findings[i].number;
    finding["rankText"] = rank_ranges({run.findings[i].ranks.begin(), run.findings[i].ranks.end()});
    finding.erase("ranks");
    finding["picture"] = picture_json(draw(run.findings[i], near[i]), names);
  }
  data["names"] = names.list();
  data["counts"] = counts_json(neighborhood.counts());
  data["sources"] = sources_json(run);
  data["help"] = help_json(run);
  return data;
}

// In a script element only "<" must be escaped; JSON allows this form.
std::string in_script(std::string text) {
  std::string safe;
  safe.reserve(text.size() + text.size() / 16);
  for (const char c : text)
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return safe;
}

std::string in_text(std::string_view text) {
  std::string safe;
  for (const char c : text) switch (c) {
      case '<':
        safe += "&lt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      default:
        safe += c;
    }
  return safe;
}

}  // namespace

std::string html_report(const RunDocument& run) {
  const std::map<std::string_view, std::string> parts = {
      {"TITLE", in_text(fmt::format("{}: {} · photofinish", run.name, result_text(run)))},
      {"STYLE", std::string(kStyleCss)},
      {"DATA", in_script(dumped(page_data(run), -1))},
      {"SCRIPT", fmt::format("(() => {{\n\"use strict\";\n{}}})();\n", kScript)}};
  std::string page;
  std::string_view rest = kPageHtml;
  for (std::size_t at; (at = rest.find('@')) != rest.npos;) {
    const std::size_t end = rest.find('@', at + 1);
    const auto part =
        end == rest.npos ? parts.end() : parts.find(rest.substr(at + 1, end - at - 1));
    CHECK(part != parts.end());
    page.append(rest.substr(0, at)).append(part->second);
    rest.remove_prefix(end + 1);
  }
  return page.append(rest);
}

}  // namespace photofinish
