// photofinish explore: runs the program with every matching of its messages, and shows the distinct
// outcomes.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cli/commands.h"
#include "cli/explorer.h"
#include "cli/programming_model.h"
#include "cli/rank_line.h"
#include "launch/launcher.h"
#include "report/block.h"
#include "report/finding_text.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

constexpr std::size_t kMostLines = 6;  // of an outcome

// "2,400"
std::string number_text(double number) {
  if (number >= 1e9) return fmt::format("{:.1e}", number);
  std::string digits = fmt::format("{:.0f}", std::round(number));
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}
std::string counted(double number, const char* one, const char* several) {
  return fmt::format("{} {}", number_text(number), number == 1 ? one : several);
}

std::string title_of(const KnownOutcome& known) {
  if (known.deadlock) return "deadlock";
  return known.outcome.how;
}

// What the outcome printed and others did not.
std::vector<std::string> own_lines(const std::vector<KnownOutcome>& all, std::size_t which) {
  std::vector<std::string> lines;
  if (all.size() == 1 || !all[which].outcome.ended) return lines;
  std::set<std::string> known;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == which || !all[i].outcome.ended) continue;
    for (std::string& line : compare(all[which].outcome, all[i].outcome, 0).only_one)
      if (known.insert(line).second && line != ending(all[which].outcome))
        lines.push_back(std::move(line));
  }
  if (std::count_if(all.begin(), all.end(),
                    [](const KnownOutcome& one) { return one.outcome.ended; }) == 1)
    lines = all[which].outcome.lines;
  return lines;
}

std::string choice_text(const NeededChoice& choice, const ExploreState& state, std::size_t run,
                        const std::string& process) {
  std::string where;
  if (const auto sites = state.sites[run].find(choice.line);
      sites != state.sites[run].end() && choice.index < sites->second.size() &&
      sites->second[choice.index] < state.locations.size())
    where = state.locations[sites->second[choice.index]];
  if (is_object(choice.line)) {
    const auto name = state.objects.find(choice.line);
    return fmt::format("operation {} on {} is that of {} {}{}{}", choice.index + 1,
                       name != state.objects.end() ? name->second : "a window", process,
                       choice.match.source.value, where.empty() ? "" : " at ", where);
  }
  return fmt::format("wildcard receive {} of {} {}{}{} matches the message of {} {}, tag {}",
                     choice.index + 1, process, choice.line, where.empty() ? "" : " at ", where,
                     process, choice.match.source.value, choice.match.tag);
}

// The choices of the runs, by kind: the least and the greatest number.
struct ChoiceCount {
  std::size_t least = ~std::size_t{0}, most = 0;
};
ChoiceCount count_choices(const std::vector<ExploredRun>& runs, bool of_objects) {
  ChoiceCount all;
  for (const ExploredRun& run : runs) {
    std::size_t count = 0;
    for (const auto& [line, matches] : run.matching)
      count += is_object(line) == of_objects ? matches.size() : 0;
    all = {std::min(all.least, count), std::max(all.most, count)};
  }
  return all;
}
std::string choices_text(const ChoiceCount& count, const char* one, const char* several) {
  return (count.least < count.most ? "up to " : "") +
         counted(static_cast<double>(count.most), one, several);
}

std::string coverage_text(const Explorer& explorer) {
  const ExploreState& state = explorer.state();
  const ChoiceCount receives = count_choices(state.runs, false),
                    operations = count_choices(state.runs, true);
  const auto runs = static_cast<double>(state.runs.size());
  if (explorer.is_complete() && receives.most + operations.most == 0)
    return "no wildcard receives, so there is one matching";
  std::string of;
  if (receives.most > 0) of = choices_text(receives, "wildcard receive", "wildcard receives");
  if (operations.most > 0)
    of += (of.empty() ? "" : " and ") +
          choices_text(operations, "atomic operation or lock", "atomic operations and locks");
  if (explorer.is_complete())
    return state.runs.size() == 1
               ? fmt::format("the only matching of {} explored", of)
               : fmt::format("all {} matchings of {} explored", number_text(runs), of);
  return fmt::format("{} of an estimated {} matchings of {} explored", number_text(runs),
                     number_text(std::max(explorer.estimate(), runs + 1)), of);
}

// What the search does not cover. True if there is anything.
bool print_notes(const Explorer& explorer) {
  const ExploreState& state = explorer.state();
  if (explorer.given_up() > 0)
    fmt::print("Not explored: {} that the program did not follow\n",
               counted(static_cast<double>(explorer.given_up()), "prescribed matching",
                       "prescribed matchings"));
  if (state.cut_short > 0)
    fmt::print("Not explored: choices of {0}s that were stopped because another {0} failed ({1})\n",
               explorer.process(), counted(static_cast<double>(state.cut_short), "run", "runs"));
  for (const std::string& text : state.untracked) fmt::print("Not explored: {}\n", text);
  return explorer.given_up() > 0 || state.cut_short > 0 || !state.untracked.empty();
}

void print_outcomes(const Explorer& explorer, const std::string& run) {
  const ExploreState& state = explorer.state();
  const bool colors = wants_colors(stdout);
  for (std::size_t i = 0; i < state.outcomes.size(); ++i) {
    const KnownOutcome& known = state.outcomes[i];
    const auto times = std::count_if(state.runs.begin(), state.runs.end(),
                                     [&](const ExploredRun& one) { return one.outcome == i; });
    fmt::print("{}: {} · {} of {}\n",
               painted(failed(known.outcome) ? kWarning : kAdvice, fmt::format("Outcome {}", i + 1),
                       colors),
               title_of(known), times,
               counted(static_cast<double>(state.runs.size()), "run", "runs"));
    const std::vector<std::string> lines =
        known.deadlock ? known.details : own_lines(state.outcomes, i);
    for (std::size_t l = 0; l < std::min(lines.size(), kMostLines); ++l)
      fmt::print("  {}\n", lines[l]);
    if (lines.size() > kMostLines) fmt::print("  … {} more lines\n", lines.size() - kMostLines);
    std::size_t example = 0;
    const auto needed = smallest_choices(state.runs, i, example);
    if (!needed.empty()) {
      fmt::print("  Choices that lead here{}:\n",
                 explorer.is_complete() ? "" : ", as far as explored");
      for (const NeededChoice& choice : needed)
        fmt::print("    {}\n", choice_text(choice, state, example, explorer.process()));
    }
    fmt::print("  repeat with: photofinish explore {} --outcome {}\n", run, i + 1);
  }
}

// The program of a run has a name relative to its folder.
std::vector<std::string> program_line(const RunInfo& info) {
  std::vector<std::string> line = info.command;
  for (std::string& word : line)
    if (!word.empty() && word[0] != '/' && word.find('/') != std::string::npos)
      word = info.folder + "/" + word;
  return line;
}

// The program has changed since the run: earlier runs tell nothing about it.
bool is_newer(const RunInfo& info) {
  if (info.ranks == 0 || info.command.empty()) return false;
  const std::string& name = info.command[0];
  struct stat status;
  const std::string path = name.starts_with('/') ? name : info.folder + "/" + name;
  return stat(path.c_str(), &status) == 0 &&
         static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 > info.started_ns;
}

struct Prepared {
  std::string run;
  Launch launch;
  ExploreState state;
};

// A new run directory for the program.
Result<Prepared> start_new(const Options& options, const ExploreArguments& arguments) {
  Prepared prepared;
  prepared.run = options.output;
  // Before the earlier run is renamed: whether the program can be started at all.
  if (const auto line = rank_line(options, arguments.ranks, arguments.line, "token"); !line)
    return line.error();
  if (!arguments.named_output && !options.overwrite && is_run_directory(prepared.run)) {
    if (run_in_use(prepared.run)) {
      prepared.run = next_run_directory(prepared.run);
    } else {
      const auto renamed = set_aside_run(prepared.run);
      if (!renamed) return renamed.error();
      if (!options.quiet) fmt::print(stderr, "photofinish: the earlier run is now {}\n", *renamed);
    }
  }
  Options rank_options = options;
  forget_report_options(rank_options);
  rank_options.output = absolute_path(prepared.run);
  rank_options.overwrite = false;
  const RunInfo info{.token = new_token(),
                     .command = arguments.line,
                     .ranks = arguments.ranks,
                     .options = format_options(rank_options),
                     .folder = absolute_path("")};
  if (const auto made = create_run_directory(prepared.run, info, options.overwrite); !made)
    return made.error();
  prepared.launch.options = rank_options;
  prepared.launch.command = arguments.line;
  prepared.launch.ranks = arguments.ranks;
  prepared.launch.process = process_word(arguments.line);
  prepared.state.ranks = static_cast<std::uint64_t>(arguments.ranks);
  return prepared;
}

// An earlier exploration, or a checked run.
Result<Prepared> resume(const Options& options, const std::string& run) {
  const auto info = read_run_info(run);
  if (!info) return info.error();
  if (is_newer(*info))
    return Error{fmt::format("{} has changed since {} was made; explore the program again",
                             info->command[0], run)};
  Prepared prepared{.run = run, .launch = {}, .state = {}};
  if (has_explore_state(run)) {
    auto state = read_explore_state(run);
    if (!state) return state.error();
    prepared.state = std::move(*state);
  }
  auto rank_options = parse_options(info->options);
  if (!rank_options) return rank_options.error();
  prepared.launch.options = *rank_options;
  if (options.mpi != "auto") prepared.launch.options.mpi = options.mpi;
  prepared.launch.command = info->command;
  prepared.launch.ranks = info->ranks;
  prepared.launch.folder = info->folder;
  prepared.launch.process = process_word(program_line(*info));
  if (prepared.state.ranks == 0) prepared.state.ranks = static_cast<std::uint64_t>(info->ranks);
  return prepared;
}

int show_again(Explorer& explorer, const Options& options, const ExploreArguments& arguments) {
  const ExploreState& state = explorer.state();
  const auto which = static_cast<std::size_t>(arguments.outcome) - 1;
  if (which >= state.outcomes.size())
    return fail(state.outcomes.empty()
                    ? fmt::format("{} has no outcomes yet: run photofinish explore {}",
                                  arguments.run, arguments.run)
                : state.outcomes.size() == 1
                    ? fmt::format("{} has only outcome 1", arguments.run)
                    : fmt::format("{} has outcomes 1 to {}", arguments.run, state.outcomes.size()),
                kExitUsage);
  std::size_t example = 0;
  smallest_choices(state.runs, which, example);
  const auto again = explorer.repeat(state.runs[example].matching);
  if (!again)
    return fail(again.error().message,
                again.error().message == "interrupted" ? kExitInterrupted : kExitToolError);
  if (!again->followed)
    return fail(fmt::format("the program did not follow the choices of outcome {}: {}",
                            arguments.outcome, again->outcome.how),
                kExitDivergence);
  fmt::print(stderr, "photofinish: outcome {} reproduced: {}\n", arguments.outcome,
             again->details.empty() ? again->outcome.how : "deadlock");
  for (const std::string& line : again->details) fmt::print(stderr, "photofinish:   {}\n", line);
  if (again->outcome.ended && again->outcome.code != 0) return again->outcome.code;
  return again->outcome.ended ? static_cast<int>(kExitOk) : findings_code(options);
}

}  // namespace

int run_explore(const Options& options, const ExploreArguments& arguments) {
  if (arguments.run.empty() && arguments.line.empty())
    return fail(
        "explore needs a program or an earlier run: photofinish explore -n N PROGRAM ARGS…, or "
        "photofinish explore RUN",
        kExitUsage);
  if (!arguments.run.empty() && arguments.ranks > 0)
    return fail(
        fmt::format("{} is a run, which already has its number of ranks: remove -n", arguments.run),
        kExitUsage);
  if (arguments.run.empty() && arguments.outcome > 0)
    return fail("--outcome needs an explored run: photofinish explore RUN --outcome N", kExitUsage);
  if (arguments.ranks > 0 && is_launcher(arguments.line[0]))
    return fail(fmt::format("-n {} and {} both start ranks; leave out one", arguments.ranks,
                            arguments.line[0]),
                kExitUsage);
  if (arguments.run.empty() && arguments.ranks == 0)
    if (const auto program = inspect_program(arguments.line[0]); program && program->flavour)
      return fail(fmt::format("the number of ranks is missing: photofinish explore -n N {}",
                              arguments.line[0]),
                  kExitUsage);
  if (const std::string refused = arguments.run.empty()
                                      ? no_coarray_program("explore", arguments.line)
                                      : no_coarray_run("explore", arguments.run);
      !refused.empty())
    return fail(refused, kExitUsage);
  std::optional<std::regex> ignore;
  try {
    if (!arguments.ignore.empty()) ignore.emplace(arguments.ignore);
  } catch (const std::regex_error&) {
    return fail(fmt::format("--ignore {}: not a regular expression", arguments.ignore), kExitUsage);
  }
  auto prepared =
      arguments.run.empty() ? start_new(options, arguments) : resume(options, arguments.run);
  if (!prepared) return fail(prepared.error().message, kExitUsage);
  prepared->launch.verbose = options.verbose;
  prepared->launch.compare = arguments.compare;
  prepared->launch.ignore = std::move(ignore);
  if (lock_run(prepared->run) < 0 && run_in_use(prepared->run))
    return fail(prepared->run + " is in use by another run; wait for its end", kExitUsage);
  const bool is_new = arguments.run.empty();
  Explorer explorer(options, arguments, prepared->run, std::move(prepared->launch),
                    std::move(prepared->state), *tolerance_of(options.tolerance));
  if (arguments.outcome > 0) return show_again(explorer, options, arguments);

  const auto done = explorer.explore();
  const ExploreState& state = explorer.state();
  if (!done && state.runs.empty()) {
    if (is_new) remove_run_directory(prepared->run);
    return fail(done.error().message);
  }
  if (!done) fail(done.error().message);
  print_outcomes(explorer, prepared->run);
  const bool has_notes = print_notes(explorer);
  const auto deadlocks =
      static_cast<double>(std::count_if(state.outcomes.begin(), state.outcomes.end(),
                                        [](const KnownOutcome& one) { return one.deadlock; }));
  fmt::print("SUMMARY: photofinish: {}{} in {}: {}{} · in {}\n",
             counted(static_cast<double>(state.outcomes.size()), "outcome", "outcomes"),
             deadlocks > 0 ? ", " + counted(deadlocks, "deadlock", "deadlocks") : "",
             counted(static_cast<double>(state.runs.size()), "run", "runs"),
             coverage_text(explorer),
             has_notes ? "; other choices were not explored, see above" : "", prepared->run);
  if (!explorer.unstored().empty())
    fail(explorer.unstored() + "; the outcomes are printed, but not stored");
  if (!done) return kExitToolError;
  if (explorer.interrupted()) return fail("interrupted", kExitInterrupted);
  const bool fails = std::any_of(state.outcomes.begin(), state.outcomes.end(),
                                 [](const KnownOutcome& one) { return !one.outcome.ended; });
  if (state.outcomes.size() > 1 || fails) return findings_code(options);
  if (!state.outcomes.empty() && state.outcomes.front().outcome.code != 0)
    return state.outcomes.front().outcome.code;
  const bool whole = explorer.is_complete() && state.cut_short == 0 && state.untracked.empty();
  return whole || options.exit_zero ? kExitOk : kExitIncomplete;
}

}  // namespace photofinish
