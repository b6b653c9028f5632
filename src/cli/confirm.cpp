// photofinish confirm: runs the program again until each finding has happened, in each order, and
// tells what that changed.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "cli/commands.h"
#include "cli/confirming_run.h"
#include "cli/progress.h"
#include "confirm/candidates.h"
#include "report/block.h"
#include "report/confirmation_text.h"
#include "report/finding_text.h"
#include "trace/confirmations_file.h"
#include "trace/reader.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

constexpr std::uint32_t kDirectedPauses =
    100;  // where it is known who comes when, it is worth waiting so much longer
constexpr std::uint32_t kPatiencePauses = 300;  // of a rank, in all
constexpr std::uint32_t kLonger = 4;            // each time that it did not work
constexpr std::size_t kDifferenceLines = 5;
constexpr std::size_t kRepetitions = 2;  // of outcomes that differ

// From when it was started until its ranks wrote last, in seconds.
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

// Whether the recorded run itself failed: a confirming run that fails, too, is as it should be.
bool has_failed_rank(const std::string& directory) {
  const auto ranks = recorded_ranks(directory);
  return !ranks || std::any_of(ranks->begin(), ranks->end(), [&](WorldRank rank) {
    const auto trace = RankTrace::open(directory, rank);
    if (!trace) return true;
    const RankEnd& end = (*trace)->end();
    return end.state != RankState::Finalized && (end.state != RankState::Exited || end.code != 0);
  });
}

// The run as it was started, or as the user wants it.
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
                .compare = arguments.compare,
                .verbose = options.verbose};
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
  launch.timeout_s =
      options.timeout > 0 ? options.timeout : 60 + 10 * seconds_of(arguments.run, *info);
  return launch;
}

// Where the confirming runs are, one after the other: on the file system that all nodes share.
std::string beside(std::string run) {
  while (run.size() > 1 && run.ends_with('/')) run.pop_back();
  return absolute_path(run) + ".confirming";
}

class Confirmer {
 public:
  Confirmer(const Options& options, const ConfirmArguments& arguments, Launch launch,
            double tolerance)
      : options_(options),
        directory_(beside(arguments.run)),
        launch_(std::move(launch)),
        tolerance_(tolerance),
        status_(options.progress && !options.quiet && arguments.order == 0) {
    if (!status_.shown()) return;
    launch_.tick = [this] {
      const auto passed = std::chrono::steady_clock::now() - start_;
      status_.show(fmt::format("photofinish: {}, run {}, {} s so far", now_at_, runs_,
                               std::chrono::duration_cast<std::chrono::seconds>(passed).count()));
    };
  }
  Confirmer(const Confirmer&) = delete;
  Confirmer& operator=(const Confirmer&) = delete;
  ~Confirmer() { remove_confirming_runs(directory_); }

  // What is known of the finding afterwards; an Error if the program cannot be started or the user
  // has had enough.
  Result<Confirmation> confirm(const Candidate& candidate);
  // Several that cannot disturb each other, in one run for each order. Those with nothing known of
  // them have to be tried by themselves.
  Result<std::vector<std::optional<Confirmation>>> confirm_together(
      const std::vector<const Candidate*>& candidates);
  // One order, as it was seen before if it was; up to as many runs as are allowed.
  struct Tried {
    OrderTried reported;
    std::optional<Outcome> outcome;
    std::uint64_t reached[2] = {0, 0};
  };
  Result<Tried> try_order(const Candidate& candidate, std::size_t order, const OrderTried* known);
  Launch& launch() { return launch_; }
  // What the status line says while runs go on: "F2, finding 2 of 5".
  void now_at(std::string text) { now_at_ = std::move(text); }
  void clear_status() { status_.clear(); }
  // In which the program failed: those that a state is based on, which a failure may have hidden.
  std::size_t failed_runs() const { return failed_runs_; }

 private:
  Schedule schedule_for(const Candidate& candidate, std::size_t order, const OrderTried* known,
                        std::uint32_t run) const;
  Result<ConfirmingRun> run(std::vector<Schedule> findings);
  Result<bool> compare_orders(const Candidate& candidate, Confirmation& confirmation,
                              const std::vector<std::optional<Outcome>>& outcomes);

  const Options& options_;
  std::string directory_;
  Launch launch_;
  double tolerance_;
  StatusLine status_;
  std::string now_at_;
  std::size_t runs_ = 0, failed_runs_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The first run waits for those who raced when it was predicted, or who met in another order; later
// ones let chance decide, and wait longer.
Schedule Confirmer::schedule_for(const Candidate& candidate, std::size_t order,
                                 const OrderTried* known, std::uint32_t run) const {
  Schedule schedule = candidate.schedule;
  const auto pause = static_cast<std::uint32_t>(options_.pause_ms);
  schedule.seed = run + 1;
  schedule.patience_ms = pause * kPatiencePauses;
  schedule.unit_ms = pause;
  if (schedule.kind == RaceKind::Message) {
    // Whoever got that message gets the other one.
    const Schedule::Match wanted{candidate.messages[order].rank, candidate.messages[order].tag};
    const auto it = schedule.matches.begin() + static_cast<std::ptrdiff_t>(schedule.steered);
    const auto later = std::find_if(it + 1, schedule.matches.end(), [&](const Schedule::Match& m) {
      return m.source == wanted.source && m.tag == wanted.tag;
    });
    if (order > 0 && later != schedule.matches.end()) *later = *it;
    *it = wanted;
    return schedule;
  }
  schedule.first = static_cast<std::uint32_t>(order);
  schedule.pause_ms = pause * kDirectedPauses;
  if (run == 0) {
    for (std::size_t side = 0; known != nullptr && side < schedule.sides.size(); ++side) {
      schedule.sides[side].rank = known->ranks[side];
      schedule.sides[side].arrival = known->arrivals[side];
    }
    return schedule;
  }
  for (ScheduledSide& side : schedule.sides) side.rank = kAnySource;
  schedule.pause_ms = pause;
  for (std::uint32_t i = 1; i < run && schedule.pause_ms < pause * kDirectedPauses; ++i)
    schedule.pause_ms *= kLonger;
  return schedule;
}

Result<ConfirmingRun> Confirmer::run(std::vector<Schedule> findings) {
  ++runs_;
  auto done = run_schedules(directory_, {std::move(findings), options_.letters}, launch_);
  if (done && done->interrupted) return Error{"interrupted"};
  return done;
}

bool has_failed(const Outcome& outcome) { return !outcome.ended || outcome.code != 0; }

void note(OrderTried& reported, const Verdict& verdict, const Outcome& outcome) {
  reported.seen = true;
  reported.forced = verdict.forced;
  reported.ranks = verdict.ranks;
  reported.arrivals = verdict.arrivals;
  reported.outcome = outcome.how;
}

Result<Confirmer::Tried> Confirmer::try_order(const Candidate& candidate, std::size_t order,
                                              const OrderTried* known) {
  Tried tried;
  tried.reported.name = candidate.orders[order];
  std::string tool_failure;
  std::size_t failed = 0;
  for (int run = 0; run < options_.runs && !tried.reported.seen; ++run) {
    const auto done =
        this->run({schedule_for(candidate, order, known, static_cast<std::uint32_t>(run))});
    if (!done) return done.error();
    const Verdict& verdict = done->verdicts.front();
    ++tried.reported.runs;
    for (const int side : {0, 1}) tried.reached[side] += verdict.reached[side];
    if (verdict.seen) failed = 0;  // earlier runs no longer matter
    failed += has_failed(done->outcome) ? 1 : 0;
    // How one ended that did not get there may be why.
    if (!verdict.seen && has_failed(done->outcome)) tried.reported.outcome = done->outcome.how;
    if (!verdict.seen && !done->tool_failure.empty()) tool_failure = done->tool_failure;
    if (!verdict.seen) continue;
    note(tried.reported, verdict, done->outcome);
    tried.outcome = done->outcome;
  }
  failed_runs_ += failed;
  // Nothing is known of a race that the tool may have missed.
  if (!tried.reported.seen && !tool_failure.empty())
    return Error{fmt::format("F{} was not confirmed: the tool stopped in a confirming run, {}",
                             candidate.number, tool_failure)};
  return tried;
}

// Outcomes that differ are looked at twice more, each in its order, so that what differs anyway is
// not taken for the race's doing.
Result<bool> Confirmer::compare_orders(const Candidate& candidate, Confirmation& confirmation,
                                       const std::vector<std::optional<Outcome>>& outcomes) {
  const auto first = std::find_if(outcomes.begin(), outcomes.end(),
                                  [](const auto& outcome) { return outcome.has_value(); });
  if (first == outcomes.end()) return true;
  const auto base = static_cast<std::size_t>(first - outcomes.begin());
  confirmation.state = ConfirmState::SameOutcome;
  std::vector<std::optional<Outcome>> base_again;
  for (std::size_t order = base + 1; order < outcomes.size(); ++order) {
    if (!outcomes[order]) continue;
    Difference difference = compare(*outcomes[base], *outcomes[order], tolerance_);
    if (difference.empty()) continue;
    for (std::size_t i = 0; i < kRepetitions && !difference.empty(); ++i) {
      if (i == base_again.size()) {
        auto again = try_order(candidate, base, &confirmation.orders[base]);
        if (!again) return again.error();
        base_again.push_back(std::move(again->outcome));
      }
      const auto again = try_order(candidate, order, &confirmation.orders[order]);
      if (!again) return again.error();
      if (base_again[i] && again->outcome)
        difference =
            in_both(difference, compare(*base_again[i], *again->outcome, tolerance_), tolerance_);
      else
        difference = {};
    }
    if (difference.empty()) {
      confirmation.varies = true;
      continue;
    }
    if (confirmation.state != ConfirmState::Harmful)
      confirmation.difference = as_lines(difference, kDifferenceLines);
    confirmation.state = ConfirmState::Harmful;
  }
  return true;
}

Result<Confirmation> Confirmer::confirm(const Candidate& candidate) {
  Confirmation confirmation{.key = candidate.key};
  std::vector<std::optional<Outcome>> outcomes;
  const OrderTried* known = nullptr;  // one that was seen
  confirmation.orders.reserve(candidate.orders.size());
  for (std::size_t order = 0; order < candidate.orders.size(); ++order) {
    auto tried = try_order(candidate, order, known);
    if (!tried) return tried.error();
    confirmation.orders.push_back(std::move(tried->reported));
    outcomes.push_back(std::move(tried->outcome));
    for (const int side : {0, 1}) confirmation.reached[side] += tried->reached[side];
    if (confirmation.orders.back().seen) known = &confirmation.orders.back();
  }
  if (const auto compared = compare_orders(candidate, confirmation, outcomes); !compared)
    return compared.error();
  return confirmation;
}

// Whose doing a difference is cannot be told, nor who was in the way of one that was not seen: of
// such a run nothing is kept.
Result<std::vector<std::optional<Confirmation>>> Confirmer::confirm_together(
    const std::vector<const Candidate*>& candidates) {
  std::vector<std::optional<Confirmation>> found;
  std::size_t orders = 0;
  for (const Candidate* candidate : candidates) {
    found.push_back(Confirmation{.key = candidate->key, .state = ConfirmState::SameOutcome});
    orders = std::max(orders, candidate->orders.size());
  }
  std::optional<Outcome> first;
  for (std::size_t order = 0; order < orders; ++order) {
    std::vector<Schedule> findings;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const OrderTried* known =
          found[i] && !found[i]->orders.empty() ? &found[i]->orders.back() : nullptr;
      findings.push_back(schedule_for(*candidates[i],
                                      std::min(order, candidates[i]->orders.size() - 1), known, 0));
    }
    const auto done = run(std::move(findings));
    if (!done) return done.error();
    failed_runs_ += has_failed(done->outcome) ? 1 : 0;
    if (!first) first = done->outcome;
    const bool same = compare(*first, done->outcome, tolerance_).empty();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Verdict& verdict = done->verdicts[i];
      if (!same || !verdict.seen) found[i].reset();
      if (!found[i] || order >= candidates[i]->orders.size()) continue;
      for (const int side : {0, 1}) found[i]->reached[side] += verdict.reached[side];
      found[i]->orders.push_back({.name = candidates[i]->orders[order],
                                  .runs = 1,
                                  .ranks = {},
                                  .arrivals = {},
                                  .outcome = {}});
      note(found[i]->orders.back(), verdict, done->outcome);
    }
    if (std::none_of(found.begin(), found.end(), [](const auto& one) { return one.has_value(); }))
      break;
  }
  return found;
}

// The findings that are meant, or what is wrong with them.
Result<std::vector<Candidate>> choose(std::vector<Candidate> all, const ConfirmArguments& arguments,
                                      const Launch& launch) {
  if (all.empty()) return Error{arguments.run + " has no findings to confirm"};
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
      return Error{fmt::format("F{} needs {} ranks, but -n asks for {}", candidate.number,
                               candidate.ranks, launch.world_size)};
  return chosen;
}

void keep(std::vector<Confirmation>& all, Confirmation fresh) {
  std::erase_if(all, [&](const Confirmation& old) { return old.key == fresh.key; });
  all.push_back(std::move(fresh));
}

// Groups of which no two have a rank in common: each rank has one finding to wait for. In the order
// of their first.
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

int show_again(Confirmer& confirmer, const Options& options, const ConfirmArguments& arguments,
               const std::vector<Candidate>& chosen, const std::vector<Confirmation>& known) {
  if (chosen.size() != 1) return fail("--order needs one finding: add --finding", kExitUsage);
  const Candidate& candidate = chosen.front();
  const auto order = static_cast<std::size_t>(arguments.order) - 1;
  if (!candidate.impossible.empty())
    return fail(fmt::format("F{} cannot be confirmed: {}", candidate.number, candidate.impossible));
  if (order >= candidate.orders.size())
    return fail(fmt::format("F{} has orders 1 to {}", candidate.number, candidate.orders.size()),
                kExitUsage);
  const Confirmation* before = find_confirmation(known, candidate.key);
  const OrderTried* seen = nullptr;
  if (before != nullptr && order < before->orders.size() && before->orders[order].seen)
    seen = &before->orders[order];
  confirmer.launch().shows_output = true;
  const auto tried = confirmer.try_order(candidate, order, seen);
  if (!tried)
    return fail(tried.error().message,
                tried.error().message == "interrupted" ? kExitInterrupted : kExitToolError);
  if (!tried->reported.seen) {
    fmt::print(
        stderr,
        "photofinish: F{} was not observed{}: its access sites were reached {} and {} times\n",
        candidate.number,
        tried->reported.outcome.empty() ? "" : " (" + tried->reported.outcome + ")",
        tried->reached[0], tried->reached[1]);
    return kExitOk;
  }
  fmt::print(stderr, "photofinish: F{} happened, {}: {}\n", candidate.number, tried->reported.name,
             tried->reported.outcome);
  return tried->outcome->code != 0 ? tried->outcome->code : findings_code(options);
}

}  // namespace

int run_confirm(const Options& options, const ConfirmArguments& arguments) {
  auto candidates = candidates_of(arguments.run);
  if (!candidates) return fail(candidates.error().message);
  auto launch = launch_of(options, arguments);
  if (!launch) return fail(launch.error().message);
  auto chosen = choose(std::move(*candidates), arguments, *launch);
  if (!chosen) return fail(chosen.error().message, kExitUsage);
  const auto info = read_run_info(arguments.run);
  if (!info) return fail(info.error().message);
  if (const std::string changed = changed_program(arguments.run, info->started_ns);
      !changed.empty())
    return fail(changed + "; run photofinish check again");
  auto known = read_confirmations(arguments.run);
  if (!known) return fail(known.error().message);
  Confirmer confirmer(options, arguments, std::move(*launch), *tolerance_of(options.tolerance));
  if (arguments.order > 0) return show_again(confirmer, options, arguments, *chosen, *known);

  std::size_t confirmed = 0, harmful = 0, undecided = 0, done = 0;
  const bool may_fail = has_failed_rank(arguments.run);
  std::string unwritten;  // why the states are not stored
  const bool colors = wants_colors(stdout);
  const auto stopped = [&](const Error& error) {
    confirmer.clear_status();
    return fail(error.message, error.message == "interrupted" ? kExitInterrupted : kExitToolError);
  };
  for (const std::vector<const Candidate*>& group : groups_of(*chosen, options.together)) {
    std::vector<std::optional<Confirmation>> at_once(group.size());
    const std::size_t failed_before_group = confirmer.failed_runs();
    if (group.size() > 1) {
      confirmer.now_at(fmt::format("F{} and {} more at once, {} of {} findings done",
                                   group.front()->number, group.size() - 1, done, chosen->size()));
      auto found = confirmer.confirm_together(group);
      if (!found) return stopped(found.error());
      at_once = std::move(*found);
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Candidate& candidate = *group[i];
      ++done;
      if (!candidate.impossible.empty()) {
        confirmer.clear_status();
        fmt::print("F{} predicted: {}\n  Cannot be confirmed: {}\n", candidate.number,
                   candidate.title, candidate.impossible);
        continue;
      }
      std::size_t failed_before = failed_before_group;
      if (!at_once[i]) {
        failed_before = confirmer.failed_runs();
        confirmer.now_at(
            fmt::format("F{}, finding {} of {}", candidate.number, done, chosen->size()));
        auto found = confirmer.confirm(candidate);
        if (!found) return stopped(found.error());
        at_once[i] = std::move(*found);
      }
      Confirmation& found = *at_once[i];
      confirmed += found.state != ConfirmState::NotReproduced ? 1 : 0;
      harmful += found.state == ConfirmState::Harmful ? 1 : 0;
      undecided += found.state != ConfirmState::Harmful && !may_fail &&
                           confirmer.failed_runs() > failed_before
                       ? 1
                       : 0;
      confirmer.clear_status();
      fmt::print("{}: {}\n{}",
                 painted(found.state == ConfirmState::Harmful         ? kWarning
                         : found.state == ConfirmState::NotReproduced ? kAdvice
                                                                      : kAccess,
                         fmt::format("F{} {}", candidate.number, state_text(&found)), colors),
                 candidate.title, confirmation_lines(found, candidate.number, arguments.run));
      std::fflush(stdout);
      keep(*known, std::move(found));
      if (const auto written = write_confirmations(arguments.run, *known); !written)
        unwritten = written.error().message;
    }
  }
  if (!unwritten.empty()) fail(unwritten + "; these states are printed, but not stored");
  fmt::print("SUMMARY: photofinish: {} of {} findings confirmed, {} harmful{} · run {}\n",
             confirmed, chosen->size(), harmful,
             undecided > 0 ? fmt::format(", {} undecided: the program failed in confirming runs, "
                                         "but not in the recorded run",
                                         undecided)
                           : "",
             arguments.run);
  if (confirmed > 0) return findings_code(options);
  return undecided > 0 && !options.exit_zero ? kExitIncomplete : kExitOk;
}

}  // namespace photofinish
