#include "cli/accounts.h"

#include <fmt/format.h>

#include "cli/replaying.h"
#include "record/divergence.h"
#include "report/divergence_text.h"
#include "report/site_text.h"

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
Result<bool> report_accesses(const std::string& run,
                             const std::map<WorldRank, AccessRecordFilter>& orders,
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

}  // namespace

Result<Accounts> replay_accounts(const std::string& run, const std::vector<WorldRank>& ranks,
                                 const std::vector<RecordedRank>& group) {
  std::map<WorldRank, AccessRecordFilter> orders;
  for (const WorldRank rank : ranks) orders[rank] = {};
  Accounts accounts;
  if (const auto reported = report_accesses(run, orders, accounts); !reported)
    return reported.error();
  // There are many stores, and other ranks read few of them. So stores are reported in a second
  // replay, when the relevant addresses are known.
  const auto stores = wanted_stores(group, accounts);
  if (const auto reported = report_accesses(run, stores, accounts); !reported)
    return reported.error();
  return accounts;
}

}  // namespace photofinish
