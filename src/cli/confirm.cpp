// photofinish confirm: makes each finding happen, in each order, and compares the outcomes.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "cli/commands.h"
#include "cli/confirmer.h"
#include "cli/forced_order.h"
#include "cli/programming_model.h"
#include "cli/rank_line.h"
#include "report/block.h"
#include "report/confirmation_text.h"
#include "report/finding_text.h"
#include "trace/confirmations_file.h"
#include "trace/findings_file.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

constexpr int kStallSeconds = 5;

// From its start until its ranks wrote last, in seconds.
int seconds_of(const std::string& directory, const RunInfo& info) {
  std::uint64_t last = info.started_ns;
  if (const auto ranks = recorded_ranks(directory))
    for (const WorldRank rank : *ranks) {
      struct stat status;
      if (stat(trace_path(directory, rank).c_str(), &status) == 0)
        last = std::max(last, static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000);
    }
  return static_cast<int>((last - info.started_ns) / 1'000'000'000);
}

// A confirming run that fails tells nothing new if the recorded run failed, too.
bool has_failed_rank(const std::string& directory) {
  const auto ranks = recorded_ranks(directory);
  return !ranks || std::any_of(ranks->begin(), ranks->end(), [&](WorldRank rank) {
    const auto trace = RankTrace::open(directory, rank);
    if (!trace) return true;
    const RankEnd& end = (*trace)->end();
    return end.state != RankState::Finalized && (end.state != RankState::Exited || end.code != 0);
  });
}

// The recorded program may be named relative to the directory of the recorded run. Started from
// elsewhere, confirm needs its whole path.
void find_program_of_run(Launch& launch) {
  for (std::string& word : launch.command) {
    if (word.empty() || word.starts_with('/') || word.find('/') == word.npos) continue;
    const std::string path = launch.folder + "/" + word;
    if (access(word.c_str(), X_OK) != 0 && access(path.c_str(), X_OK) == 0) word = path;
    return;
  }
}

// The command line of the recorded run, or that of the user.
Result<Launch> launch_of(const Options& options, const ConfirmArguments& arguments) {
  const auto info = read_run_info(arguments.run);
  if (!info) return info.error();
  const auto ranks = recorded_ranks(arguments.run);
  if (!ranks) return ranks.error();
  if (ranks->empty()) return Error{arguments.run + " has no recorded ranks"};
  const auto trace = RankTrace::open(arguments.run, ranks->front());
  if (!trace) return trace.error();
  Launch launch{.command = info->command,
                .folder = info->folder,
                .process = process_word(arguments.run),
                .ignore = {},
                .compare = arguments.compare,
                .verbose = options.verbose};
  try {
    if (!arguments.ignore.empty()) launch.ignore.emplace(arguments.ignore);
  } catch (const std::regex_error&) {
    return Error{fmt::format("--ignore {}: not a regular expression", arguments.ignore)};
  }
  launch.world_size = (*trace)->world_size();
  auto rank_options = parse_options(info->options);
  if (!rank_options) return rank_options.error();
  launch.options = *rank_options;
  launch.options.pause_ms = options.pause_ms;
  if (options.mpi != "auto") launch.options.mpi = options.mpi;
  // Under a launcher of the user's only the program is on record, not how many times it was
  // started.
  const bool by_exec = info->ranks == 0 && !info->command.empty() &&
                       info->command[0] == (*trace)->definitions().rank.program;
  launch.ranks = by_exec ? launch.world_size : info->ranks;
  if (!arguments.line.empty()) {
    launch.command = arguments.line;
    launch.ranks = 0;
    launch.folder.clear();
  } else if (arguments.ranks > 0) {
    if (launch.ranks == 0)
      return Error{
          "the run was started with a launcher command; give the new one after -- instead of -n"};
    launch.ranks = launch.world_size = arguments.ranks;
  }
  if (!launch.folder.empty()) find_program_of_run(launch);
  const int seconds = seconds_of(arguments.run, *info);
  launch.timeout_s = options.timeout > 0 ? options.timeout : 60 + 10 * seconds;
  launch.stall_s = std::max(kStallSeconds, 2 * seconds);
  return launch;
}

// The findings that are meant, or what is wrong with them.
Result<std::vector<Candidate>> choose(std::vector<Candidate> all, const ConfirmArguments& arguments,
                                      const Launch& launch) {
  if (all.empty() && !arguments.findings.empty())
    return Error{arguments.run + " has no findings to confirm"};
  std::vector<Candidate> chosen;
  for (const std::string& name : arguments.findings) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Candidate& candidate) {
      return name == fmt::format("F{}", candidate.number);
    });
    if (found == all.end())
      return Error{fmt::format("{} has no finding {}: it has F1{}", arguments.run, name,
                               all.size() > 1 ? fmt::format(" to F{}", all.size()) : "")};
    chosen.push_back(*found);
  }
  if (chosen.empty()) chosen = std::move(all);
  for (const Candidate& candidate : chosen)
    if (candidate.ranks > launch.world_size)
      return Error{fmt::format("F{} needs {} {}s, but -n asks for {}", candidate.number,
                               candidate.ranks, launch.process, launch.world_size)};
  return chosen;
}

// A run without races is no error: scripts run check and then confirm.
int nothing_to_confirm(const Options& options, const std::string& run) {
  const auto found = read_findings(run);
  std::ptrdiff_t deadlocks = 0;
  if (found && found->messages)
    deadlocks = std::count_if(found->messages->deadlocks.begin(), found->messages->deadlocks.end(),
                              [](const Deadlock& one) { return one.came_about; });
  if (deadlocks == 0) {
    fmt::print("SUMMARY: photofinish: no findings to confirm · in {}\n", run);
    return kExitOk;
  }
  fmt::print(
      "SUMMARY: photofinish: {} deadlock{} occurred, which need{} no confirmation: photofinish "
      "report {} shows {} · in {}\n",
      deadlocks, deadlocks == 1 ? "" : "s", deadlocks == 1 ? "s" : "", run,
      deadlocks == 1 ? "it" : "them", run);
  return findings_code(options);
}

// Groups of findings of which no two have a rank in common, in the order of their first.
std::vector<std::vector<const Candidate*>> groups_of(const std::vector<Candidate>& chosen,
                                                     bool together) {
  std::vector<std::vector<const Candidate*>> groups;
  std::vector<std::set<WorldRank>> taken;
  for (const Candidate& candidate : chosen) {
    const auto apart = [&](const std::set<WorldRank>& ranks) {
      return std::none_of(candidate.involved.begin(), candidate.involved.end(),
                          [&](WorldRank rank) { return ranks.contains(rank); });
    };
    std::size_t group = 0;
    const bool tries = together && candidate.impossible.empty();
    while (group < groups.size() &&
           !(tries && groups[group].front()->impossible.empty() && apart(taken[group])))
      ++group;
    if (group == groups.size()) {
      groups.emplace_back();
      taken.emplace_back();
    }
    groups[group].push_back(&candidate);
    taken[group].insert(candidate.involved.begin(), candidate.involved.end());
  }
  return groups;
}

// Prints each finding's state as soon as it is known, and counts them.
class ResultPrinter {
 public:
  // `program`: the words that name another number of ranks or program than the run's.
  ResultPrinter(std::string run, std::string program)
      : run_(std::move(run)), program_(std::move(program)) {}

  void print_impossible(const Candidate& candidate) {
    fmt::print("F{} predicted: {}\n  Not tried: {}\n", candidate.number, candidate.title,
               candidate.impossible);
    ++tried_;
  }
  // `failed`: the program failed in a confirming run, but not in the recorded run. Unless the state
  // says that the outcome depends on the order, the failure may have hidden it.
  void print(const Candidate& candidate, const Confirmation& found, bool failed) {
    ++tried_;
    ++counts_[found.state];
    const bool decided =
        found.state == ConfirmState::Harmful || found.state == ConfirmState::Unstable;
    undecided_ += failed && !decided ? 1 : 0;
    fmt::print("{}: {}\n{}",
               painted(color_of(found.state),
                       fmt::format("F{} {}", candidate.number, state_text(&found)), colors_),
               candidate.title, confirmation_lines(found, candidate.number, run_, program_));
    std::fflush(stdout);
  }
  void print_buffering(const Confirmation& found) {
    const bool hangs = found.state == ConfirmState::Harmful;
    fmt::print("{}: {}\n  No send buffered: {}\n",
               painted(color_of(found.state),
                       fmt::format("Buffering dependence {}", state_text(&found)), colors_),
               hangs ? "the program hangs if no send is buffered"
                     : "the predicted deadlock did not happen with synchronous sends",
               outcomes_text(found.orders.front().outcomes));
    hangs_ = hangs_ || hangs;
  }
  void print_summary(std::size_t findings) const {
    std::string states;
    for (auto state = counts_.rbegin(); state != counts_.rend(); ++state)
      if (is_confirmed(state->first))
        states += fmt::format("{} {} {}", states.empty() ? ":" : ",", state->second,
                              counted_state(state->first));
    constexpr const char* kHangs =
        "buffering dependence confirmed: the program hangs if no send is buffered";
    if (hangs_ && findings == 0) {
      fmt::print("SUMMARY: photofinish: {} · in {}\n", kHangs, run_);
      return;
    }
    if (hangs_) states += fmt::format("; {}", kHangs);
    if (undecided_ > 0)
      states += fmt::format(
          "; {} undecided: the program failed in confirming runs, but not in the recorded run",
          undecided_);
    fmt::print(
        "SUMMARY: photofinish: {} of {} findings confirmed{}{} · in {}\n", confirmed(), findings,
        states,
        tried_ < findings ? fmt::format("; {} not tried: interrupted", findings - tried_) : "",
        run_);
  }
  bool has_confirmed() const { return confirmed() > 0 || hangs_; }
  bool has_undecided() const { return undecided_ > 0; }
  std::size_t confirmed() const {
    std::size_t all = 0;
    for (const auto& [state, count] : counts_) all += is_confirmed(state) ? count : 0;
    return all;
  }

 private:
  static std::string_view color_of(ConfirmState state) {
    switch (state) {
      case ConfirmState::Harmful:
      case ConfirmState::Unstable:
        return kWarning;
      case ConfirmState::SameOutcome:
        return kMemory;
      case ConfirmState::EffectUnknown:
        return kAccess;
      case ConfirmState::NotReproduced:
        break;
    }
    return kAdvice;
  }

  // "1 harmful", "2 with the same outcome"
  static std::string_view counted_state(ConfirmState state) {
    return state == ConfirmState::SameOutcome     ? "with the same outcome"
           : state == ConfirmState::EffectUnknown ? "with unknown effect"
                                                  : short_state(state);
  }

  const std::string run_, program_;
  const bool colors_ = wants_colors(stdout);
  std::map<ConfirmState, std::size_t> counts_;
  std::size_t tried_ = 0, undecided_ = 0;
  bool hangs_ = false;
};

// The states in the run directory. They are printed even if they cannot be stored.
class StoredStates {
 public:
  StoredStates(std::string run, std::vector<Confirmation> known)
      : run_(std::move(run)), known_(std::move(known)) {}

  void store(Confirmation fresh) {
    std::erase_if(known_, [&](const Confirmation& old) { return old.key == fresh.key; });
    known_.push_back(std::move(fresh));
    if (const auto written = write_confirmations(run_, known_); !written)
      failure_ = written.error().message;
  }
  const std::string& failure() const { return failure_; }  // empty: all are stored

 private:
  const std::string run_;
  std::vector<Confirmation> known_;
  std::string failure_;
};

// All groups, one after the other. An Error ends it; what was found before is printed and stored.
Result<bool> confirm_groups(Confirmer& confirmer, const std::vector<Candidate>& chosen,
                            const Options& options, const std::string& run, StoredStates& states,
                            ResultPrinter& printer, bool with_buffering) {
  const bool may_fail = has_failed_rank(run);
  const auto finish = [&](const Candidate& candidate, Confirmation found, bool failed) {
    confirmer.clear_status();
    printer.print(candidate, found, failed && !may_fail);
    states.store(std::move(found));
  };
  std::size_t done = 0;
  for (const std::vector<const Candidate*>& group : groups_of(chosen, options.together)) {
    std::vector<const Candidate*> following;
    for (const Candidate& candidate : chosen)
      if (candidate.number > group.front()->number &&
          std::find(group.begin(), group.end(), &candidate) == group.end())
        following.push_back(&candidate);
    std::vector<std::optional<Confirmation>> at_once(group.size());
    bool failed_at_once = false;
    if (group.size() > 1) {
      confirmer.begin(fmt::format("F{} and {} more at once, {} of {} findings done",
                                  group.front()->number, group.size() - 1, done, chosen.size()),
                      following);
      auto found = confirmer.confirm_together(group);
      if (!found) return found.error();
      at_once = std::move(*found);
      failed_at_once = confirmer.has_failed_runs();
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Candidate& candidate = *group[i];
      ++done;
      if (!candidate.impossible.empty()) {
        confirmer.clear_status();
        printer.print_impossible(candidate);
        continue;
      }
      bool failed = failed_at_once;
      if (!at_once[i]) {
        confirmer.begin(fmt::format("F{}, finding {} of {}", candidate.number, done, chosen.size()),
                        following);
        auto found = confirmer.confirm(candidate);
        if (!found) {
          if (auto partial = confirmer.interrupted_finding();
              is_interrupted(found.error()) && partial)
            finish(candidate, std::move(*partial), confirmer.has_failed_runs());
          return found.error();
        }
        failed = confirmer.has_failed_runs();
        if (const WorldRank stopped = confirmer.stopped_rank();
            found->state == ConfirmState::NotReproduced && stopped != kProcNull)
          fail(
              fmt::format("{} {} was stopped (SIGSTOP) in a confirming run of F{}, which may be "
                          "why the race was not seen; confirm it again",
                          confirmer.launch().process, stopped.value, candidate.number));
        at_once[i] = std::move(*found);
      }
      finish(candidate, std::move(*at_once[i]), failed);
    }
  }
  if (!with_buffering) return true;
  confirmer.begin("buffering dependence", {});
  auto found = confirmer.confirm_buffering();
  if (!found) return found.error();
  confirmer.clear_status();
  printer.print_buffering(*found);
  states.store(std::move(*found));
  return true;
}

}  // namespace

int run_confirm(const Options& options, const ConfirmArguments& arguments) {
  if (arguments.record)
    if (const std::string refused = no_upc_run("confirm --record", arguments.run); !refused.empty())
      return fail(refused, kExitUsage);
  auto candidates = candidates_of(arguments.run, options.alternatives);
  if (!candidates) return fail_to_read(arguments.run, candidates.error());
  const auto info = read_run_info(arguments.run);
  if (!info) return fail(info.error().message);
  auto launch = launch_of(options, arguments);
  if (!launch) return fail(launch.error().message, kExitUsage);
  if (!arguments.line.empty())
    if (const auto line = rank_line(options, 0, arguments.line, "token"); !line)
      return fail(line.error().message, kExitUsage);
  const std::vector<Candidate> all = *candidates;
  auto chosen = choose(std::move(*candidates), arguments, *launch);
  if (!chosen) return fail(chosen.error().message, kExitUsage);
  if (const std::string changed = changed_program(arguments.run, info->started_ns);
      !changed.empty())
    return fail(changed + "; run photofinish check again", kExitUsage);
  auto known = read_confirmations(arguments.run);
  if (!known) return fail(known.error().message);
  Confirmer confirmer(options, arguments, std::move(*launch), *tolerance_of(options.tolerance),
                      all);
  if (forces_one_order(arguments))
    return force_order(confirmer, options, arguments, *chosen, *known);

  if (chosen->empty() && !depends_on_buffering(arguments.run))
    return nothing_to_confirm(options, arguments.run);
  std::string program = arguments.ranks > 0 ? fmt::format(" -n {}", arguments.ranks) : "";
  if (!arguments.line.empty()) program += fmt::format(" -- {}", fmt::join(arguments.line, " "));
  ResultPrinter printer(arguments.run, program);
  StoredStates states(arguments.run, std::move(*known));
  const bool with_buffering = arguments.findings.empty() && depends_on_buffering(arguments.run);
  const auto done =
      confirm_groups(confirmer, *chosen, options, arguments.run, states, printer, with_buffering);
  confirmer.clear_status();
  if (!done && !is_interrupted(done.error())) return fail(done.error().message);
  if (!states.failure().empty())
    fail(states.failure() + "; these states are printed, but not stored");
  printer.print_summary(chosen->size());
  if (!done) return fail(done.error().message, kExitInterrupted);
  if (printer.has_confirmed()) return findings_code(options);
  return printer.has_undecided() && !options.exit_zero ? kExitIncomplete : kExitOk;
}

}  // namespace photofinish
