// photofinish explain: replays recorded ranks without output, and collects what they wrote and
// read. Together that shows which ranks communicated.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>

#include "cli/accounts.h"
#include "cli/commands.h"
#include "cli/replaying.h"
#include "explain/explanation.h"
#include "report/document.h"
#include "report/event_text.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

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
  if (!ranks) return fail(ranks.error().message, kExitUsage);
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
  if (!ranks) return fail(ranks.error().message, kExitUsage);
  if (const auto start = read_start(arguments.run, ranks->front()); !start)
    return fail(start.error().message, kExitUsage);
  const auto group = read_group(arguments.run, *ranks);
  if (!group) return fail(group.error().message);
  const auto accounts = replay_accounts(arguments.run, *ranks, *group);
  if (!accounts) return fail(accounts.error().message);
  fmt::print("{}", explanation_text(explain(*group, *accounts), arguments.each));
  return kExitOk;
}

}  // namespace photofinish
