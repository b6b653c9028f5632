// photofinish check: runs the program once, and records it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "analyze/analyze_run.h"
#include "cli/commands.h"
#include "cli/launched.h"
#include "cli/programming_model.h"
#include "cli/rank_line.h"
#include "cli/start.h"
#include "launch/launcher.h"
#include "launch/mpi_program.h"
#include "model/rank_list.h"
#include "report/coverage.h"
#include "report/event_text.h"
#include "report/rank_ends.h"
#include "report/site_text.h"
#include "trace/findings_file.h"
#include "trace/interruption.h"
#include "trace/reader.h"
#include "trace/run_directory.h"
#include "trace/shared_directory.h"

namespace photofinish {
namespace {

// How the ranks ended: one line for each way, except for the normal one.
struct Summary {
  std::size_t ranks = 0;
  int world_size = 0;
  std::uint64_t bytes = 0;
  std::map<EndCause, std::map<std::string, std::vector<WorldRank>>> ends;  // unusual ones
  std::map<std::string, std::vector<WorldRank>> unreadable;
  WorldRank crashed = kProcNull;  // the first such rank
  std::map<WorldRank, std::string> hosts;
  std::map<std::string, bool> programs;  // of ranks with windows; whether they use OpenSHMEM
};

Summary summarize(const std::string& directory) {
  Summary summary;
  Symbolizer symbolizer;
  const auto ranks = recorded_ranks(directory);
  if (!ranks) return summary;
  for (const WorldRank rank : *ranks) {
    const auto trace = RankTrace::open(directory, rank);
    if (!trace) {
      summary.unreadable[trace.error().message].push_back(rank);
      continue;
    }
    ++summary.ranks;
    summary.hosts[rank] = (*trace)->definitions().rank.host;
    summary.world_size = std::max(summary.world_size, (*trace)->world_size());
    summary.bytes += (*trace)->stored_bytes();
    for (const auto& [id, win] : (*trace)->definitions().wins)
      summary.programs[(*trace)->definitions().rank.program] |=
          win.flavour == WinFlavour::Symmetric;
    const RankEnding ending = ending_of((*trace)->end(), last_call(**trace, symbolizer));
    if (!ending.how.empty()) summary.ends[ending.cause][ending.how].push_back(rank);
    if (ending.crashed && summary.crashed == kProcNull) summary.crashed = rank;
    if (!(*trace)->damage().empty()) summary.unreadable[(*trace)->damage()].push_back(rank);
  }
  return summary;
}

// " on node2", for ranks of a run on several nodes.
std::string locations(const Summary& summary, const std::vector<WorldRank>& ranks) {
  std::set<std::string> all, theirs;
  for (const auto& [rank, host] : summary.hosts) all.insert(host);
  for (const WorldRank rank : ranks)
    if (const auto host = summary.hosts.find(rank); host != summary.hosts.end())
      theirs.insert(host->second);
  return all.size() > 1 && !theirs.empty() ? " on " + host_list_text(theirs) : "";
}

// `by_us`: the tool ended the run, because of a deadlock. `by_user`: the user interrupted it, so no
// rank is the cause.
void print_ends(const Summary& summary, bool by_us, bool by_user) {
  const auto print = [&](const std::vector<WorldRank>& ranks, const std::string& how) {
    fmt::print(stderr, "photofinish: rank{} {}{} {}\n", ranks.size() > 1 ? "s" : "",
               rank_ranges(ranks), locations(summary, ranks), how);
  };
  std::vector<WorldRank> others;
  for (auto cause = summary.ends.rbegin(); cause != summary.ends.rend(); ++cause)
    for (const auto& [how, ranks] : cause->second)
      if (cause->first != EndCause::None && (by_us || (cause != summary.ends.rbegin() && !by_user)))
        others.insert(others.end(), ranks.begin(), ranks.end());
      else
        print(ranks, (how.starts_with("without") ? "ended " : "ended: ") + how);
  std::sort(others.begin(), others.end());
  if (!others.empty())
    print(others, by_us ? "were ended because of the deadlock"
                        : "also ended early: the launcher ends all ranks if one fails");
  for (const auto& [damage, ranks] : summary.unreadable) print(ranks, "ended: " + damage);
}

// The ranks detect races while they run. If a rank stopped early, or left no findings, the traces
// are analyzed as well: they contain accesses that no rank has checked.
Result<int> find_races(const std::string& directory, const Options& options,
                       const ReportFile& report) {
  const auto online = read_findings(directory);
  if (!online) return online.error();
  // Findings of the ranks are reported even if the traces cannot be analyzed; the report says what
  // is missing.
  UnwrittenFindings unwritten;
  const auto stopped = any_stopped_early(directory);
  if (!online->analysed || !online->missing.empty() || (stopped && *stopped)) {
    if (const auto analysed = analyze_alone(directory, options, unwritten); !analysed) {
      if (!online->analysed) return analysed.error();
      fail(analysed.error().message);
    }
  } else if (!online->messages) {
    const auto say = [](const std::string& message) { fail(message); };
    if (const auto checked = options.messages
                                 ? analyze_messages_of(directory, options, say, &unwritten)
                                 : leave_out_messages(directory, say, &unwritten);
        !checked)
      fail(checked.error().message);
  }
  return report_findings(directory, options, report, unwritten);
}

}  // namespace

int run_check(const Options& given, const CheckArguments& arguments) {
  Options options = given;
  if (arguments.line.empty())
    return fail(
        fmt::format(
            "{0} needs a program: photofinish {0} -n N PROGRAM ARGS…, or -- LAUNCHER … PROGRAM …",
            arguments.command),
        kExitUsage);
  // Each of the ranks would start a run of its own.
  if (const int launched = launched_processes(); launched > 1)
    return fail_once(
        fmt::format("{0} starts the ranks itself, and a launcher has already started {1}: "
                    "photofinish {0} -n {1} {2}, or: LAUNCHER -n {1} photofinish exec {2}",
                    arguments.command, launched, fmt::join(arguments.line, " ")),
        kExitUsage);
  if (arguments.ranks > 0 && is_launcher(arguments.line[0]))
    return fail(
        fmt::format("-n {0} and {1} both start ranks; leave out one: photofinish {2} -- {3}, "
                    "or photofinish {2} -n {0} PROGRAM ARGS…",
                    arguments.ranks, arguments.line[0], arguments.command,
                    fmt::join(arguments.line, " ")),
        kExitUsage);
  if (arguments.ranks == 0)
    if (const auto program = inspect_program(arguments.line[0]); program && program->flavour)
      return fail(fmt::format("the number of ranks is missing: photofinish {} -n N {}",
                              arguments.command, arguments.line[0]),
                  kExitUsage);

  if (!options.record.empty() && options.record != "all") {
    const auto kept = parse_rank_list(options.record);
    if (!kept) return fail(kept.error().message, kExitUsage);
    if (!kept->empty() && arguments.ranks > 0 && kept->rbegin()->value >= arguments.ranks)
      return fail(fmt::format("there is no rank {}: {} ranks are numbered from 0",
                              kept->rbegin()->value, arguments.ranks),
                  kExitUsage);
  }
  if (const auto usable = check_report_options(options, arguments.report); !usable)
    return fail(usable.error().message, kExitUsage);
  if (arguments.report.format != "text" && (options.offline || !options.record.empty()))
    return fail(
        "this run is recorded only, so it has no report yet; run photofinish analyze, then "
        "photofinish report",
        kExitUsage);
  // A user who edits, builds and checks again without naming a run means the new run. So it gets
  // the default name, and the earlier run is renamed. A run that is still being written is not
  // renamed.
  bool sets_aside = false;
  if (!arguments.named_output && !options.overwrite && is_run_directory(options.output)) {
    sets_aside = !run_in_use(options.output);
    if (!sets_aside) options.output = next_run_directory(options.output);
  }
  Options rank_options = options;
  rank_options.output = absolute_path(options.output);
  std::error_code error;
  const bool replaces_baseline =
      !options.baseline.empty() &&
      std::filesystem::equivalent(options.baseline, rank_options.output, error);
  if (replaces_baseline && !sets_aside)
    return fail(
        fmt::format(
            "the baseline {} would be replaced by this run; choose another directory with -o DIR",
            options.baseline),
        kExitUsage);
  rank_options.overwrite = false;
  forget_report_options(rank_options);
  if (!options.record.empty())
    if (const std::string refused = no_coarray_program(arguments.command, arguments.line);
        !refused.empty())
      return fail(refused, kExitUsage);
  if (const std::string hidden = hidden_coarrays(arguments.line); !hidden.empty()) fail(hidden);
  const std::string token = new_token();
  const auto line = rank_line(rank_options, arguments.ranks, arguments.line, token);
  if (!line)
    return fail(line.error().message,
                exit_code_without_line(options, arguments.ranks, arguments.line));
  const bool by_hand = std::find(line->begin(), line->end(), token) == line->end();
  if (by_hand)
    return fail("the command already contains photofinish exec; start it without photofinish check",
                kExitUsage);
  const RunInfo info{.token = token,
                     .command = arguments.line,
                     .ranks = arguments.ranks,
                     .options = format_options(rank_options),
                     .folder = absolute_path("")};
  std::string aside;
  if (sets_aside) {
    const auto renamed = set_aside_run(options.output);
    if (!renamed) return fail(renamed.error().message);
    aside = *renamed;
    if (replaces_baseline) options.baseline = aside;
    if (!options.quiet) fmt::print(stderr, "photofinish: the earlier run is now {}\n", aside);
  } else if (options.output != given.output && !options.quiet) {
    fmt::print(stderr, "photofinish: {} is in use by another run; this run goes to {}\n",
               given.output, options.output);
  }
  if (const auto made = create_run_directory(rank_options.output, info, options.overwrite); !made)
    return fail(made.error().message, kExitUsage);
  lock_run(rank_options.output);  // until this process ends

  const auto [code, interrupted] = start_and_wait(*line, options);
  if (interrupted) note_interruption(rank_options.output);

  const Summary summary = summarize(rank_options.output);
  print_ends(summary, interrupted && code == kExitFindings, code == kExitInterrupted);
  if (summary.crashed != kProcNull && options.record.empty() && arguments.ranks > 0)
    fmt::print(stderr,
               "photofinish: to debug it: photofinish record -o crash.run --ranks {0} -n {1} {2} "
               "&& photofinish replay crash.run --gdb {0}\n",
               summary.crashed.value, arguments.ranks, fmt::join(arguments.line, " "));
  if (summary.ranks == 0) {
    const bool said_why = is_noted_unrecorded(rank_options.output);
    remove_run_directory(rank_options.output);
    if (!aside.empty()) std::filesystem::rename(aside, options.output, error);
    if (!said_why)
      fail(
          fmt::format("nothing was recorded: no rank returned from MPI_Init. Check the output "
                      "above. On several nodes, the run directory must be on a shared file system. "
                      "photofinish doctor {} shows the MPI library of the program",
                      arguments.ranks > 0 ? arguments.line[0] : "PROGRAM"));
    return code != 0 ? code : kExitToolError;
  }
  const std::string next = !options.record.empty() ? "replay" : options.offline ? "analyze" : "";
  if (!options.quiet)
    fmt::print(stderr, "photofinish: {} of {} ranks recorded in {} ({:.1f} kB){}\n", summary.ranks,
               summary.world_size, options.output, static_cast<double>(summary.bytes) / 1e3,
               next.empty() ? "" : fmt::format(". Next: photofinish {} {}", next, options.output));
  if (!options.record.empty() || options.offline) {
    // There is no report that could say it.
    for (const auto& [program, openshmem] : summary.programs) {
      const auto inspected = inspect_program(program);
      const bool coarrays = inspected && inspected->uses_coarrays;
      std::string text = not_instrumented(program, openshmem, coarrays).text;
      // A recorded run is not checked.
      constexpr std::string_view kToCheck = "to check loads and stores";
      if (const std::size_t at = text.find(kToCheck); !options.record.empty() && at != text.npos)
        text.replace(at, kToCheck.size(), "so that explain shows loads and stores");
      if (!text.empty()) fmt::print(stderr, "photofinish: {}\n", text);
    }
    return code;
  }
  const auto result = find_races(rank_options.output, options, arguments.report);
  if (!result) return fail(result.error().message, code != 0 ? code : kExitToolError);
  return code != 0 ? code : *result;
}

}  // namespace photofinish
