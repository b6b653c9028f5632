// photofinish check: one run of the program, recorded.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "analyze/analyze_run.h"
#include "cli/commands.h"
#include "cli/rank_line.h"
#include "cli/start.h"
#include "launch/launcher.h"
#include "model/rank_list.h"
#include "report/event_text.h"
#include "report/site_text.h"
#include "symbols/pass_notes.h"
#include "trace/findings_file.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

// One line for each way in which ranks ended, the usual one left out.
struct Summary {
  std::size_t ranks = 0;
  int world_size = 0;
  std::uint64_t bytes = 0;
  std::map<std::string, std::vector<WorldRank>> unusual;
  std::set<std::string> programs;  // of ranks that have windows
};

// ", in MPI_Recv solver.c:31" for a rank that did not come back from a call.
std::string last_call(RankTrace& trace, Symbolizer& symbolizer) {
  const Event* event = nullptr;
  Call call{};
  SiteId site;
  bool returned = true;
  while (trace.next(event)) {
    call = event->call;
    site = event->site;
    returned = event->returned;
  }
  if (returned) return "";
  const std::string location = SiteText(trace.definitions(), symbolizer).location(site);
  return fmt::format(", in {}{}{}", traits(call).name, location.empty() ? "" : " ", location);
}

Summary summarise(const std::string& directory) {
  Summary summary;
  Symbolizer symbolizer;
  const auto ranks = recorded_ranks(directory);
  if (!ranks) return summary;
  for (const WorldRank rank : *ranks) {
    const auto trace = RankTrace::open(directory, rank);
    if (!trace) {
      summary.unusual[trace.error().message].push_back(rank);
      continue;
    }
    ++summary.ranks;
    summary.world_size = std::max(summary.world_size, (*trace)->world_size());
    summary.bytes += (*trace)->stored_bytes();
    if (!(*trace)->definitions().wins.empty())
      summary.programs.insert((*trace)->definitions().rank.program);
    const RankEnd& end = (*trace)->end();
    if (end.state != RankState::Exited || end.code != 0 || end.incomplete)
      summary.unusual[end_text(end) + last_call(**trace, symbolizer)].push_back(rank);
    if (!(*trace)->damage().empty()) summary.unusual[(*trace)->damage()].push_back(rank);
  }
  return summary;
}

// What others reach by windows, the program reaches by loads and stores: say so where they are not
// seen.
void tell_what_is_not_seen(const std::string& program) {
  const PassNotes notes = pass_notes(program);
  constexpr std::size_t kMost = 5;
  if (!notes.readable || (!notes.with.empty() && notes.without.empty())) return;
  if (notes.with.empty()) {
    fmt::print(stderr,
               "photofinish: {} was not built with pfmpicc, pfmpicxx or pfmpifort: its own loads "
               "and stores are not seen\n",
               program);
    return;
  }
  const std::size_t named = std::min(kMost, notes.without.size());
  fmt::print(
      stderr,
      "photofinish: built without pfmpicc, so that their loads and stores are not seen: {}{}\n",
      fmt::join(notes.without.begin(), notes.without.begin() + static_cast<std::ptrdiff_t>(named),
                ", "),
      named < notes.without.size() ? fmt::format(" and {} more", notes.without.size() - named)
                                   : "");
}

// The ranks look for races while they run. Where some could not finish, the traces tell what they
// would have found.
Result<bool> find_races(const std::string& directory, const Options& options,
                        const ReportFile& report) {
  const auto online = read_findings(directory);
  if (!online) return online.error();
  if (!online->analysed || !online->missing.empty()) {
    if (const auto analysed = analyze_alone(directory, options); !analysed) return analysed;
  } else if (!online->messages) {
    if (const auto looked =
            options.messages ? analyze_messages_of(directory) : leave_out_messages(directory);
        !looked)
      return looked;
  }
  return tell_findings(directory, options, report);
}

}  // namespace

int run_check(const Options& options, const CheckArguments& arguments) {
  if (arguments.line.empty())
    return fail(
        fmt::format(
            "{0} needs a program: photofinish {0} -n N PROGRAM ARGS…, or -- LAUNCHER … PROGRAM …",
            arguments.command),
        kExitUsage);
  if (arguments.ranks == 0)
    if (const auto program = inspect_program(arguments.line[0]); program && program->flavour)
      return fail(fmt::format("how many ranks? photofinish {} -n N {}", arguments.command,
                              arguments.line[0]),
                  kExitUsage);

  if (!options.record.empty() && options.record != "all") {
    const auto kept = parse_rank_list(options.record);
    if (!kept) return fail(kept.error().message, kExitUsage);
    if (!kept->empty() && arguments.ranks > 0 && kept->rbegin()->value >= arguments.ranks)
      return fail(fmt::format("there will be no rank {}: {} ranks count from 0",
                              kept->rbegin()->value, arguments.ranks),
                  kExitUsage);
  }
  if (const auto usable = check_report_options(options, arguments.report); !usable)
    return fail(usable.error().message, kExitUsage);
  if (arguments.report.format != "text" && (options.offline || !options.record.empty()))
    return fail(
        "no report is written of a run that is only recorded; photofinish analyze, and then "
        "report, do it",
        kExitUsage);
  Options rank_options = options;
  rank_options.output = absolute_path(options.output);
  if (std::error_code error;
      !options.baseline.empty() &&
      std::filesystem::equivalent(options.baseline, rank_options.output, error))
    return fail(
        fmt::format(
            "the baseline {} would be replaced by this run; choose another directory with -o DIR",
            options.baseline),
        kExitUsage);
  rank_options.overwrite = false;
  forget_report_options(rank_options);
  const std::string token = new_token();
  const auto line = rank_line(rank_options, arguments.ranks, arguments.line, token);
  if (!line) return fail(line.error().message);
  const bool by_hand = std::find(line->begin(), line->end(), token) == line->end();
  if (by_hand)
    return fail("the line already has photofinish exec in it: start it without photofinish check",
                kExitUsage);
  const RunInfo info{.token = token,
                     .command = arguments.line,
                     .ranks = arguments.ranks,
                     .options = format_options(rank_options),
                     .folder = absolute_path("")};
  if (const auto made = create_run_directory(rank_options.output, info, options.overwrite); !made)
    return fail(made.error().message);

  const int code = start_and_wait(*line, options);

  const Summary summary = summarise(rank_options.output);
  for (const auto& [how, ranks] : summary.unusual)
    fmt::print(stderr, "photofinish: rank{} {} ended: {}\n", ranks.size() > 1 ? "s" : "",
               rank_ranges(ranks), how);
  if (summary.ranks == 0) {
    remove_run_directory(rank_options.output);
    fail(
        "nothing was recorded: no rank got through MPI_Init, or the program finds MPI's functions "
        "by dlsym, which cannot be seen");
    return code != 0 ? code : kExitToolError;
  }
  const char* const next = !options.record.empty() ? "replay"
                           : options.offline       ? "analyze"
                                                   : "dump";
  fmt::print(stderr, "photofinish: {} of {} ranks recorded, {:.1f} kB in {} · photofinish {} {}\n",
             summary.ranks, summary.world_size, static_cast<double>(summary.bytes) / 1e3,
             options.output, next, options.output);
  for (const std::string& program : summary.programs) tell_what_is_not_seen(program);
  if (!options.record.empty() || options.offline) return code;
  const auto found = find_races(rank_options.output, options, arguments.report);
  if (!found) return fail(found.error().message, code != 0 ? code : kExitToolError);
  return code == 0 && *found ? kExitFindings : code;
}

}  // namespace photofinish
