// photofinish explain: replays recorded ranks without output, and collects what they wrote and
// read. Together that shows which ranks communicated.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>

#include "cli/commands.h"
#include "cli/replaying.h"
#include "explain/explanation.h"
#include "record/divergence.h"
#include "report/divergence_text.h"
#include "report/document.h"
#include "report/event_text.h"
#include "report/site_text.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

std::string location_of(std::uint64_t pc, const Definitions& definitions, Symbolizer& symbolizer) {
  const ModuleDefinition* module = nullptr;
  for (const auto& [id, candidate] : definitions.modules)
    if (candidate.base <= pc && (module == nullptr || candidate.base > module->base))
      module = &candidate;
  if (module == nullptr) return "";
  Definitions alone;
  alone.modules = definitions.modules;
  alone.add(SiteDefinition{SiteId(1), {{module->id, pc - module->base}}});
  return SiteText(alone, symbolizer).location(SiteId(1));
}

// Replays the ranks, each with a list of the accesses to report, and adds what they report.
Result<bool> report(const std::string& run, const std::map<WorldRank, AccessRecordFilter>& orders,
                    Accounts& accounts) {
  const auto scratch = ScratchFolder::make();
  if (!scratch) return scratch.error();
  std::vector<WorldRank> ranks;
  for (const auto& [rank, order] : orders) ranks.push_back(rank);
  auto replays = prepare_replays(run, ranks, scratch->path());
  if (!replays) return replays.error();
  for (Replay& replay : *replays) {
    if (!replay.chosen) continue;
    const std::string path = replay.scratch + "/order";
    if (const auto written = write_order(path, orders.at(replay.rank)); !written)
      return written.error();
    replay.settings.push_back({"PHOTOFINISH_EXPLAIN", path});
  }
  const auto ended = run_replays(*replays, [](Replay& replay) {
    silence();
    become_rank(replay);
  });
  if (!ended) return ended.error();
  Symbolizer symbolizer;
  for (const Replay& replay : *replays) {
    if (!replay.chosen) continue;
    if (const auto divergence = read_divergence(divergence_path(replay.scratch));
        divergence && divergence->expected.what != kNoQuery)
      fmt::print(stderr, "photofinish: {}; only events before that are explained\n",
                 divergence_text(run, replay.scratch, replay.rank, *divergence));
    const auto trace = RankTrace::open(replay.scratch, replay.rank);
    if (!trace) return trace.error();
    RankAccount& account = accounts[replay.rank];
    for (AccessRecord& access_record : read_access_records(**trace)) {
      if (access_record.pc != 0) {
        const auto [where, is_new] = account.locations.try_emplace(access_record.pc);
        if (is_new)
          where->second = location_of(access_record.pc, (*trace)->definitions(), symbolizer);
      }
      account.access_records.push_back(std::move(access_record));
    }
  }
  return true;
}

// The ranks of both sides, the owner of the memory, and all possible senders.
Result<std::vector<WorldRank>> ranks_of_finding(const std::string& run,
                                                const std::string& finding) {
  const auto document = read_document(run, {});
  if (!document) return document.error();
  for (const FindingDocument& found : document->findings) {
    if (fmt::format("F{}", found.number) != finding) continue;
    std::set<WorldRank> ranks;
    for (const EndDocument& end : found.ends) ranks.insert(end.rank);
    if (found.memory) ranks.insert(found.memory->owner);
    return std::vector<WorldRank>(ranks.begin(), ranks.end());
  }
  return Error{
      fmt::format("{} has no finding {}: it has {}", run, finding,
                  document->findings.empty()
                      ? "none"
                      : fmt::format("F1{}", document->findings.size() > 1
                                                ? fmt::format(" to F{}", document->findings.size())
                                                : ""))};
}

int report_ranks_of_finding(const ExplainArguments& arguments) {
  const auto ranks = ranks_of_finding(arguments.run, arguments.finding);
  if (!ranks) return fail(ranks.error().message);
  fmt::print("{} needs rank{} {}\n  photofinish record --for-finding {} --of {}\n",
             arguments.finding, ranks->size() > 1 ? "s" : "", rank_ranges(*ranks),
             arguments.finding, arguments.run);
  return kExitOk;
}

}  // namespace

Result<bool> prepare_record(const std::string& finding, const std::string& run, Options& options,
                            CheckArguments& arguments) {
  const auto ranks = ranks_of_finding(run, finding);
  if (!ranks) return ranks.error();
  options.record = rank_ranges(*ranks);
  if (options.output == Options{}.output)
    options.output =
        (run.ends_with(".run") ? run.substr(0, run.size() - 4) : run) + "-" + finding + ".run";
  options.output = absolute_path(options.output);
  fmt::print(stderr, "photofinish: {} needs rank{} {}; the record goes to {}\n", finding,
             ranks->size() > 1 ? "s" : "", options.record, options.output);
  if (!arguments.line.empty()) return true;
  const auto info = read_run_info(run);
  if (!info) return info.error();
  arguments.line = info->command;
  arguments.ranks = info->ranks;
  if (chdir(info->folder.c_str()) != 0)
    return Error{fmt::format("cannot change to {}, where {} was started: {}", info->folder, run,
                             std::strerror(errno))};
  return true;
}

int run_explain(const ExplainArguments& arguments) {
  if (!arguments.finding.empty()) return report_ranks_of_finding(arguments);
  const auto ranks = chosen_ranks(arguments.run, arguments.ranks);
  if (!ranks) return fail(ranks.error().message);
  const auto group = read_group(arguments.run, *ranks);
  if (!group) return fail(group.error().message);
  std::map<WorldRank, AccessRecordFilter> orders;
  for (const WorldRank rank : *ranks) orders[rank] = {};
  Accounts accounts;
  if (const auto reported = report(arguments.run, orders, accounts); !reported)
    return fail(reported.error().message);
  // There are many stores, and other ranks read few of them. So stores are reported in a second
  // replay, when the relevant addresses are known.
  if (const auto reported = report(arguments.run, wanted_stores(*group, accounts), accounts);
      !reported)
    return fail(reported.error().message);
  fmt::print("{}", explanation_text(explain(*group, accounts), arguments.each));
  return kExitOk;
}

}  // namespace photofinish
